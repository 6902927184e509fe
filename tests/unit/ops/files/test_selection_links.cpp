// Which symbolic links are followed, skipped or refused.
#include "unit/ops/files/selection_rig.hpp"

namespace azlock::ops {

using test::blobs;
using test::failed;
using test::mentions;
using test::Names;
using test::request;
using test::skipped;
using test::Tree;

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

}  // namespace azlock::ops
