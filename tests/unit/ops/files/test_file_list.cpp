// The list of files gives back what was put into it, whatever its entries share inside.
#include <string>

#include "ops/files/file_list.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("a file's path and blob name are made from its directories' names") {
    FileList list;
    const auto root = list.add_root("/home/me/src/", "backup/src/");
    const auto deep = list.add_directory(list.add_directory(root, "a b"), "c");
    list.add_file(deep, "file.txt", {3});
    list.add_file(root, "top", {4});
    list.add_file(list.add_root("", ""), "here", {5});
    list.add_file(list.add_root("old name", "new name"), "", {6});
    REQUIRE(list.size() == 4);
    CHECK(list[0].path == "/home/me/src/a b/c/file.txt");
    CHECK(list[0].blob == "backup/src/a b/c/file.txt");
    CHECK(list[0].size == 3);
    CHECK(list[1].path == "/home/me/src/top");
    CHECK(list[1].blob == "backup/src/top");
    CHECK(list[2].path == "here");
    CHECK(list[2].blob == "here");
    CHECK(list[3].path == "old name");
    CHECK(list[3].blob == "new name");
    CHECK(list.total_bytes() == 18);
}

TEST_CASE("files can be taken off a list and the others stay in their order") {
    FileList list;
    const auto root = list.add_root("", "");
    for (const char* name : {"a", "b", "c", "d", "e"}) list.add_file(root, name, {10});
    list.remove({});
    CHECK(list.size() == 5);
    list.remove({0, 3, 4});
    REQUIRE(list.size() == 2);
    CHECK(list[0].path == "b");
    CHECK(list[1].path == "c");
    CHECK(list.total_bytes() == 20);
    list.remove({0, 1});
    CHECK(list.empty());
}

TEST_CASE("many names of many lengths and a list that moves lose nothing") {
    FileList list;
    auto directory = list.add_root("root/", "");
    for (std::size_t i = 0; i < 20'000; ++i) {
        if (i % 1000 == 0) directory = list.add_directory(directory, "d" + std::to_string(i));
        list.add_file(directory, std::string(i % 300, 'x') + std::to_string(i), {i});
    }
    list.add_file(directory, std::string(200'000, 'y'), {1});
    const FileList moved = std::move(list);
    std::string prefix;
    for (std::size_t i = 0; i < 20'000; ++i) {
        if (i % 1000 == 0) prefix += "d" + std::to_string(i) + "/";
        const auto file = moved[i];
        const std::string expected = prefix + std::string(i % 300, 'x') + std::to_string(i);
        if (file.blob != expected || file.path != "root/" + expected || file.size != i) FAIL(file.path);
    }
    CHECK(moved[20'000].blob.size() == prefix.size() + 200'000);
}

TEST_CASE("files below a walked root name what the walk saw") {
    FileList list;
    list.add_file(list.add_root("here/", ""), "free", {1, 2, 3});
    const auto root = list.add_root("/home/me/", "", true);
    list.add_file(list.add_directory(root, "src"), "x", {1, 2, 3});
    list.add_file(list.add_root("dir/old name", "new name", true), "", {4, 5, 6});
    CHECK(!list[0].walked);
    REQUIRE(list[1].walked);
    CHECK(list[1].walked->root == 9);
    CHECK(list[1].walked->device == 2);
    CHECK(list[1].walked->inode == 3);
    REQUIRE(list[2].walked);
    CHECK(list[2].walked->root == 4);
}

}  // namespace azlock::ops
