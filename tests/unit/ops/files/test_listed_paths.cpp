// Files from a list of paths.
#include "unit/ops/files/selection_rig.hpp"

namespace azlock::ops {

using test::blobs;
using test::InDirectory;
using test::Names;
using test::request;
using test::Tree;

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

}  // namespace azlock::ops
