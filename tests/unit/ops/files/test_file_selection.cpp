// Which files are taken and what their blobs are called.
#include <sys/stat.h>

#include "unit/ops/files/selection_rig.hpp"

namespace azlock::ops {

using test::blobs;
using test::failed;
using test::mentions;
using test::Names;
using test::NoMoreFiles;
using test::refused;
using test::request;
using test::skipped;
using test::Tree;

TEST_CASE("one file becomes the blob that is named, or takes its own name below a slash or a container") {
    const Tree tree({"in/a.txt"});
    CHECK(blobs(request({tree.at("in/a.txt")}, "b.txt", false)) == Names{"b.txt"});
    CHECK(blobs(request({tree.at("in/a.txt")}, "p/a.txt", false)) == Names{"p/a.txt"});
    CHECK(blobs(request({tree.at("in/a.txt")}, "p/", false)) == Names{"p/a.txt"});
    CHECK(blobs(request({tree.at("in/a.txt")}, "", false)) == Names{"a.txt"});
    const auto selection = select_files(request({tree.at("in/a.txt")}, "p/b"));
    REQUIRE(selection);
    CHECK(selection->files[0].path == tree.at("in/a.txt"));
    CHECK(selection->files[0].size == 8);
    CHECK(selection->files.total_bytes() == 8);
}

TEST_CASE("a directory gives its own name to its blobs unless its path ends in a slash or a dot") {
    const Tree tree({"dir/a", "dir/deep/b", "top"});
    const Names with_name{"p/dir/a", "p/dir/deep/b"};
    const Names without{"p/a", "p/deep/b"};
    CHECK(blobs(request({tree.at("dir")}, "p/")) == with_name);
    CHECK(blobs(request({tree.at("dir/")}, "p/")) == without);
    CHECK(blobs(request({tree.at("dir//")}, "p/")) == without);
    CHECK(blobs(request({tree.at("dir/.")}, "p/")) == without);
    CHECK(blobs(request({tree.at("dir/deep/..")}, "p/")) == without);
    CHECK(blobs(request({tree.at("dir/")}, "")) == Names{"a", "deep/b"});
    CHECK(blobs(request({tree.at("dir")}, "")) == Names{"dir/a", "dir/deep/b"});
    const auto selection = select_files(request({tree.at("dir/")}, "p/"));
    REQUIRE(selection);
    CHECK(selection->files[1].path == tree.at("dir/deep/b"));
}

TEST_CASE("several sources keep their order, and a directory is taken in byte order, depth first") {
    const Tree tree({"d/b", "d/B", "d/a/z", "d/a.c", "d/\xC3\xA4", "z", "a"});
    CHECK(blobs(request({tree.at("z"), tree.at("d"), tree.at("a")}, "")) ==
          Names{"z", "d/B", "d/a/z", "d/a.c", "d/b", "d/\xC3\xA4", "a"});
}

TEST_CASE("several files need a destination that can hold several") {
    const Tree tree({"a", "b", "d/c"});
    CHECK(mentions(refused(request({tree.at("a"), tree.at("b")}, "blob")), "'blob'"));
    CHECK(mentions(refused(request({tree.at("d")}, "blob")), "'blob'"));
    SelectionRequest listed = request({}, "blob");
    listed.files_from = tree.list("a\n");
    CHECK(mentions(refused(listed), "'blob'"));
    refused(request({}, "p/"));
}

TEST_CASE("a directory without the flag for it is refused before anything is done") {
    const Tree tree({"a", "d/c"});
    const Error error = refused(request({tree.at("a"), tree.at("d")}, "", false));
    CHECK(mentions(error, tree.at("d")));
    CHECK(error.hint.find("-r") != std::string::npos);
}

TEST_CASE("a source that is missing is a failure of its own and the rest is taken") {
    const Tree tree({"a", "b"});
    const auto selection = select_files(request({tree.at("a"), tree.at("none"), tree.at("a/x"), tree.at("b")}, "p/"));
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"p/a", "p/b"});
    CHECK(failed(*selection, tree) == Names{"none", "a/x"});
    CHECK(selection->failures[0].code == ErrorCode::input_missing);
}

TEST_CASE("an excluded directory is left out whole and an included one is taken whole") {
    const Tree tree({"s/a.c", "s/a.o", "s/sub/b.c", "s/sub/b.o", "s/docs/x", "s/docs/y.o"});
    SelectionRequest wanted = request({tree.at("s/")}, "");
    wanted.exclude = {"*.o"};
    CHECK(blobs(wanted) == Names{"a.c", "docs/x", "sub/b.c"});
    wanted.exclude = {"sub/"};
    CHECK(blobs(wanted) == Names{"a.c", "a.o", "docs/x", "docs/y.o"});
    wanted.include = {"*.c", "docs"};
    wanted.exclude = {};
    CHECK(blobs(wanted) == Names{"a.c", "docs/x", "docs/y.o", "sub/b.c"});
    wanted.exclude = {"sub/**", "*.o"};
    CHECK(blobs(wanted) == Names{"a.c", "docs/x"});
    const auto selection = select_files(wanted);
    CHECK(selection->excluded == 4);  // a.o, docs/y.o, sub/b.c, sub/b.o
    wanted.include = {"/sub/*"};
    wanted.exclude = {};
    CHECK(blobs(wanted) == Names{"sub/b.c", "sub/b.o"});
}

TEST_CASE("globs are matched below the source, not against the way to it") {
    const Tree tree({"build/s/a.c", "build/s/b.c"});
    SelectionRequest wanted = request({tree.at("build/s")}, "");
    wanted.exclude = {"build", "s"};
    CHECK(blobs(wanted) == Names{"s/a.c", "s/b.c"});
    wanted = request({tree.at("build/s/a.c"), tree.at("build/s/b.c")}, "");
    wanted.exclude = {"a.*"};
    CHECK(blobs(wanted) == Names{"b.c"});
    wanted.exclude = {"[a"};
    CHECK(mentions(refused(wanted), "[a"));
    wanted.exclude = {};
    wanted.include = {""};
    refused(wanted);
}

TEST_CASE("what is no file is left out of a directory, and is a failure where it is named") {
    const Tree tree({"d/file"});
    REQUIRE(::mkfifo(tree.at("d/pipe").c_str(), 0600) == 0);
    auto selection = select_files(request({tree.at("d")}, ""));
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"d/file"});
    CHECK(skipped(*selection, tree) == Names{"d/pipe"});
    CHECK(selection->skipped[0].reason == "a pipe");
    selection = select_files(request({tree.at("d/pipe")}, "p/"));
    REQUIRE(selection);
    CHECK(selection->files.empty());
    CHECK(failed(*selection, tree) == Names{"d/pipe"});
    CHECK(select_files(request({"/dev/null"}, "p"))->failures.size() == 1);
}

TEST_CASE("names that a blob can have are kept to the letter and others are failures of their own") {
    const Tree tree({"d/a b", "d/%41+#?&=", "d/\xC3\xA4\xE2\x82\xAC", "d/new\nline", "d/\xFF", "d/back\\slash",
                     "d/dot.", "d/.hidden"});
    const auto selection = select_files(request({tree.at("d/")}, "p/"));
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"p/%41+#?&=", "p/.hidden", "p/a b", "p/\xC3\xA4\xE2\x82\xAC"});
    CHECK(failed(*selection, tree) == Names{"d/back\\slash", "d/dot.", "d/new\nline", "d/\xFF"});
    for (const Error& error : selection->failures) {
        CHECK(error.code == ErrorCode::usage);
        CHECK(error.message.find('\n') == std::string::npos);
    }
    CHECK(select_files(request({tree.at("d/new\nline")}, "p/"))->failures.size() == 1);
    // Under another name it can be sent.
    CHECK(blobs(request({tree.at("d/new\nline")}, "p/b")) == Names{"p/b"});
}

TEST_CASE("a directory whose name no blob can have is one failure for all that is in it") {
    const Tree tree({"d/bad./a", "d/bad./b", "d/bad./c/d", "d/good/a"});
    const auto selection = select_files(request({tree.at("d/")}, ""));
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"good/a"});
    CHECK(failed(*selection, tree) == Names{"d/bad."});
}

TEST_CASE("empty directories give nothing") {
    const Tree tree({"d/file"});
    std::filesystem::create_directories(tree.at("d/empty/deeper"));
    std::filesystem::create_directories(tree.at("e"));
    CHECK(blobs(request({tree.at("d"), tree.at("e")}, "")) == Names{"d/file"});
}

TEST_CASE("a directory that cannot be read is a failure and the rest is taken") {
    const Tree tree({"a", "b", "d/c"});
    const auto selection = [&] {
        const NoMoreFiles limit;  // it stops root, too
        return select_files(request({tree.at("a"), tree.at("d"), tree.at("b")}, ""));
    }();
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"a", "b"});
    CHECK(failed(*selection, tree) == Names{"d"});
    CHECK(selection->failures[0].code == ErrorCode::io);
}

TEST_CASE("two files for one blob are refused with both their names before anything is sent") {
    const Tree tree({"x/same", "y/same", "x/other"});
    const Error error = refused(request({tree.at("x/same"), tree.at("x/other"), tree.at("y/same")}, "p/"));
    CHECK(mentions(error, "'" + tree.at("x/same") + "'"));
    CHECK(mentions(error, "'" + tree.at("y/same") + "'"));
    CHECK(mentions(error, "'p/same'"));
    CHECK(mentions(refused(request({tree.at("x/"), tree.at("y/")}, "")), "'same'"));
    CHECK(blobs(request({tree.at("x"), tree.at("y")}, "")) == Names{"x/other", "x/same", "y/same"});
}

TEST_CASE("the same file twice under one name is taken once") {
    const Tree tree({"x/a", "x/b"});
    std::filesystem::create_hard_link(tree.at("x/b"), tree.at("b"));
    CHECK(blobs(request({tree.at("x/a"), tree.at("x/a"), tree.at("x/./a"), tree.at("x/b"), tree.at("b")}, "p/")) ==
          Names{"p/a", "p/b"});
    CHECK(blobs(request({tree.at("x"), tree.at("x")}, "")) == Names{"x/a", "x/b"});
}

TEST_CASE("a stop ends the search for files") {
    const Tree tree({"d/a"});
    std::stop_source stop;
    stop.request_stop();
    const auto selection = select_files(request({tree.at("d")}, ""), stop.get_token());
    REQUIRE(!selection);
    CHECK(selection.error().code == ErrorCode::cancelled);
}

}  // namespace azlock::ops
