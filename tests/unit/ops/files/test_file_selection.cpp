// Which files are taken and what their blobs are called.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

#include "ops/files/file_selection.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

using Names = std::vector<std::string>;
namespace fs = std::filesystem;

// A directory with files in it, each holding its own name.
class Tree {
  public:
    explicit Tree(const Names& files) {
        for (const std::string& name : files) {
            fs::create_directories(fs::path(dir_.file(name)).parent_path());
            dir_.write(name, name);
        }
    }
    [[nodiscard]] std::string at(std::string_view name) const { return dir_.file(name); }
    [[nodiscard]] const std::string& root() const { return dir_.path(); }
    void link(const std::string& to, std::string_view name) const { fs::create_symlink(to, at(name)); }
    [[nodiscard]] std::string list(const std::string& text) const { return dir_.write("the list", text); }

  private:
    test::TempDir dir_;
};

SelectionRequest request(Names sources, std::string destination, bool recursive = true) {
    SelectionRequest result;
    result.sources = std::move(sources);
    result.destination = std::move(destination);
    result.recursive = recursive;
    return result;
}

Names blobs(const Selection& selection) {
    Names names;
    for (std::size_t i = 0; i < selection.files.size(); ++i) names.push_back(selection.files[i].blob);
    return names;
}

Names blobs(const SelectionRequest& request) {
    const auto selection = select_files(request);
    REQUIRE(selection);
    CHECK(selection->failures.empty());
    return blobs(*selection);
}

Error refused(const SelectionRequest& request) {
    const auto selection = select_files(request);
    REQUIRE(!selection);
    CHECK(selection.error().code == ErrorCode::usage);
    return selection.error();
}

// The skipped paths, relative to the tree's root.
Names skipped(const Selection& selection, const Tree& tree) {
    Names names;
    for (const SkippedFile& file : selection.skipped) names.push_back(file.path.substr(tree.root().size() + 1));
    return names;
}

Names failed(const Selection& selection, const Tree& tree) {
    Names names;
    for (const Error& error : selection.failures) names.push_back(error.target.substr(tree.root().size() + 1));
    return names;
}

// Changes the current directory for as long as it lives.
class InDirectory {
  public:
    explicit InDirectory(const std::string& path) : before_(fs::current_path()) { fs::current_path(path); }
    InDirectory(const InDirectory&) = delete;
    InDirectory& operator=(const InDirectory&) = delete;
    ~InDirectory() { fs::current_path(before_); }

  private:
    fs::path before_;
};

// No file can be opened for as long as it lives.
class NoMoreFiles {
  public:
    NoMoreFiles() {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const rlimit none{0, before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    }
    NoMoreFiles(const NoMoreFiles&) = delete;
    NoMoreFiles& operator=(const NoMoreFiles&) = delete;
    ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

bool mentions(const Error& error, std::string_view text) {
    return error.message.find(text) != std::string::npos;
}

}  // namespace

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

TEST_CASE("a link that is named is followed and one within a directory is left out with a notice") {
    const Tree tree({"d/file", "other/x"});
    tree.link("file", "d/to-file");
    tree.link("../other", "d/to-directory");
    tree.link("nowhere", "d/to-nothing");
    tree.link("d", "named");
    tree.link("d/file", "named-file");
    const auto selection = select_files(request({tree.at("named"), tree.at("named-file")}, ""));
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"named/file", "named-file"});
    CHECK(skipped(*selection, tree) == Names{"named/to-directory", "named/to-file", "named/to-nothing"});
    CHECK(selection->skipped[0].reason == "a symbolic link");
    CHECK(selection->failures.empty());
    SelectionRequest filtered = request({tree.at("named")}, "");
    filtered.exclude = {"to-*"};
    CHECK(select_files(filtered)->skipped.empty());
}

TEST_CASE("links are followed where that is wanted, and one to nothing is a failure") {
    const Tree tree({"d/file", "other/x"});
    tree.link("file", "d/to-file");
    tree.link("../other", "d/to-directory");
    tree.link("nowhere", "d/to-nothing");
    tree.link("to-itself", "d/to-itself");
    SelectionRequest wanted = request({tree.at("d")}, "");
    wanted.symlinks = SymlinkPolicy::follow;
    const auto selection = select_files(wanted);
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"d/file", "d/to-directory/x", "d/to-file"});
    CHECK(selection->files[2].size == 6);
    CHECK(failed(*selection, tree) == Names{"d/to-itself", "d/to-nothing"});
    wanted.exclude = {"to-nothing", "to-itself"};
    CHECK(select_files(wanted)->failures.empty());
}

TEST_CASE("a loop of links ends, wherever it leads back to") {
    const Tree tree({"d/a/file"});
    tree.link("..", "d/a/up");
    tree.link(".", "d/a/here");
    tree.link("../..", "d/a/root");
    SelectionRequest wanted = request({tree.at("d")}, "");
    wanted.symlinks = SymlinkPolicy::follow;
    const auto selection = select_files(wanted);
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"d/a/file"});
    CHECK(selection->failures.empty());
    CHECK(skipped(*selection, tree) == Names{"d/a/here", "d/a/root/d", "d/a/up"});
}

TEST_CASE("links are failures where they are refused, also one that is named") {
    const Tree tree({"d/file"});
    tree.link("file", "d/to-file");
    tree.link("d", "named");
    SelectionRequest wanted = request({tree.at("d"), tree.at("named")}, "");
    wanted.symlinks = SymlinkPolicy::refuse;
    const auto selection = select_files(wanted);
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"d/file"});
    CHECK(failed(*selection, tree) == Names{"d/to-file", "named"});
    CHECK(mentions(selection->failures[0], "symbolic link"));
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
    fs::create_directories(tree.at("d/empty/deeper"));
    fs::create_directories(tree.at("e"));
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
    fs::create_hard_link(tree.at("x/b"), tree.at("b"));
    CHECK(blobs(request({tree.at("x/a"), tree.at("x/a"), tree.at("x/./a"), tree.at("x/b"), tree.at("b")}, "p/")) ==
          Names{"p/a", "p/b"});
    CHECK(blobs(request({tree.at("x"), tree.at("x")}, "")) == Names{"x/a", "x/b"});
}

TEST_CASE("listed paths keep their directories") {
    const Tree tree({"a/b/c", "a/b/d", "a/e", "f"});
    const InDirectory here(tree.root());
    SelectionRequest wanted = request({}, "p/", false);
    wanted.files_from = tree.list("a/b/c\n./a//e\na/b/d\nf\na/b/c\n" + tree.at("f") + "\n");
    const auto selection = select_files(wanted);
    REQUIRE(selection);
    CHECK(selection->failures.empty());
    CHECK(blobs(*selection) == Names{"p/a/b/c", "p/a/e", "p/a/b/d", "p/f", "p" + tree.at("f")});
    CHECK(selection->files[1].path == "./a//e");
}

TEST_CASE("listed directories are taken whole where directories may be") {
    const Tree tree({"a/b/c", "a/e", "f"});
    const InDirectory here(tree.root());
    SelectionRequest wanted = request({"f"}, "");
    wanted.files_from = tree.list("a\na/b\na/b/c\n");
    CHECK(blobs(wanted) == Names{"f", "a/b/c", "a/e"});
    wanted.recursive = false;
    const auto selection = select_files(wanted);
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"f", "a/b/c"});
    REQUIRE(selection->failures.size() == 2);
    CHECK(selection->failures[0].target == "a");
    CHECK(selection->failures[1].target == "a/b");
    wanted.recursive = true;
    wanted.files_from = tree.list(".\n");
    wanted.sources = {};
    wanted.exclude = {"the list"};
    CHECK(blobs(wanted) == Names{"a/b/c", "a/e", "f"});
}

TEST_CASE("globs are for listed paths as for others, by each of their directories") {
    const Tree tree({"a/skip/c", "a/e", "skip/f", "g"});
    const InDirectory here(tree.root());
    SelectionRequest wanted = request({}, "");
    wanted.files_from = tree.list("a/skip/c\na/e\nskip/f\ng\n");
    wanted.exclude = {"skip/"};
    CHECK(blobs(wanted) == Names{"a/e", "g"});
    wanted.include = {"a"};
    CHECK(blobs(wanted) == Names{"a/e"});
    wanted.exclude = {};
    CHECK(blobs(wanted) == Names{"a/skip/c", "a/e"});
}

TEST_CASE("a listed path that leads upwards or to nothing is a failure of its own") {
    const Tree tree({"a", "d/b"});
    const InDirectory here(tree.at("d"));
    SelectionRequest wanted = request({}, "");
    wanted.files_from = tree.list("../a\nnone\nb\n");
    const auto selection = select_files(wanted);
    REQUIRE(selection);
    CHECK(blobs(*selection) == Names{"b"});
    REQUIRE(selection->failures.size() == 2);
    CHECK(selection->failures[0].target == "../a");
    CHECK(selection->failures[1].target == "none");
    wanted.files_from = tree.at("no list");
    const auto unlisted = select_files(wanted);
    REQUIRE(!unlisted);
    CHECK(unlisted.error().code == ErrorCode::input_missing);
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
