// The ETag that is saved for a local copy is never newer than the copy.
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/read/etag_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/eventually.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kNoon = "Sat, 21 Nov 2026 12:00:00 GMT";

AtomicFile content(const std::string& path, const std::string& text) {
    auto file = AtomicFile::create(path);
    REQUIRE(file);
    REQUIRE(file->write_at(0, as_bytes(text)));
    return std::move(*file);
}

}  // namespace

TEST_CASE("a read that wants only a new version takes the ETag of the file, and no second condition") {
    test::TempDir dir;
    const std::string path = dir.write("etag", "\"0x1\"\n");
    azure::Conditions conditions;
    REQUIRE(take_etag_file("", conditions));
    CHECK(conditions.if_none_match.empty());
    REQUIRE(take_etag_file(path, conditions));
    CHECK(conditions.if_none_match == "\"0x1\"");
    const Status second = take_etag_file(path, conditions);
    REQUIRE(!second);
    CHECK(second.error().code == ErrorCode::usage);
    conditions.if_none_match = "*";  // no blob that exists can be read under it
    const Status never = take_etag_file("", conditions);
    REQUIRE(!never);
    CHECK(never.error().code == ErrorCode::usage);
}

TEST_CASE("an ETag file that is missing or empty holds no ETag") {
    const test::TempDir dir;
    CHECK(read_etag_file(dir.file("none")).value().empty());
    CHECK(read_etag_file(dir.write("empty", "")).value().empty());
    CHECK(read_etag_file(dir.write("blank", "\r\n")).value().empty());
}

TEST_CASE("an ETag comes back as it was saved, also where curl saved it") {
    const test::TempDir dir;
    const std::string path = dir.file("etag");
    REQUIRE(save_etag_file(path, "\"0x8D1\""));
    CHECK(test::read_text_file(path) == "\"0x8D1\"\n");
    CHECK(read_etag_file(path).value() == "\"0x8D1\"");
    CHECK(read_etag_file(dir.write("curl", "\"0x8D2\"\r\n")).value() == "\"0x8D2\"");
    REQUIRE(save_etag_file(path, ""));
    CHECK(test::read_text_file(path).empty());
}

TEST_CASE("what is no ETag is refused, and the file is named") {
    const test::TempDir dir;
    for (const std::string& text : {std::string("two words"), std::string("a\nb"), std::string(5000, 'x')}) {
        const auto etag = read_etag_file(dir.write("etag", text));
        REQUIRE(!etag);
        CHECK(etag.error().code == ErrorCode::data);
        CHECK(etag.error().target == dir.file("etag"));
    }
    CHECK(read_etag_file(dir.path()).error().code == ErrorCode::input_missing);
}

TEST_CASE("the content has its name before its ETag is saved") {
    const test::TempDir dir;
    const std::string path = dir.write("etag", "old");
    AtomicFile file = content(dir.write("copy", "old content"), "new content");
    REQUIRE(commit_with_etag(file, path, {"new", ""}, "old") == std::string());
    CHECK(test::read_text_file(dir.file("copy")) == "new content");
    CHECK(read_etag_file(path).value() == "new");
    CHECK(dir.names() == std::vector<std::string>{"copy", "etag"});
}

TEST_CASE("a content that cannot be committed leaves the ETag as it was") {
    const test::TempDir dir;
    const std::string path = dir.write("etag", "old");
    AtomicFile file = content(dir.file("copy"), "new content");
    REQUIRE(::mkdir(dir.file("copy").c_str(), 0700) == 0);
    CHECK(!commit_with_etag(file, path, {"new", ""}, "old"));
    CHECK(read_etag_file(path).value() == "old");
}

TEST_CASE("an ETag that cannot be saved leaves the content as it was") {
    const test::TempDir dir;
    AtomicFile file = content(dir.write("copy", "old content"), "new content");
    const auto kept = commit_with_etag(file, dir.file("no/such/folder"), {"new", ""}, "");
    REQUIRE(!kept);
    CHECK(kept.error().code == ErrorCode::io);
    CHECK(test::read_text_file(dir.file("copy")) == "old content");
}

TEST_CASE("copies that are committed at the same time end with the latest version and its ETag") {
    const test::TempDir dir;
    const std::string copy = dir.file("copy");
    const std::string path = dir.file("etag");
    std::string seen;
    for (int round = 0; round < 20; ++round) {
        std::vector<AtomicFile> files;
        for (int i = 0; i < 4; ++i) files.push_back(content(copy, std::to_string(i)));
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i) {
                threads.emplace_back([&, i] {
                    const CopyVersion version{"\"0x" + std::to_string(100 + 4 * round + i) + "\"", kNoon};
                    test::must(commit_with_etag(files[static_cast<std::size_t>(i)], path, version, seen).has_value());
                });
            }
        }
        CHECK(test::read_text_file(copy) == "3");
        const std::string latest = "\"0x" + std::to_string(100 + 4 * round + 3) + "\"";
        CHECK(read_etag_file(path).value() == latest);
        seen = latest;
    }
}

TEST_CASE("a download that ends after that of a later version changes nothing, and says which version stays") {
    const test::TempDir dir;
    const std::string copy = dir.write("copy", "old");
    const std::string path = dir.write("etag", "\"0x1\"");
    const auto commit = [&](const std::string& text, const CopyVersion& version, const std::string& seen) {
        AtomicFile file = content(copy, text);
        return commit_with_etag(file, path, version, seen).value();
    };
    CHECK(commit("late", {"\"0x3\"", kNoon}, "\"0x1\"").empty());
    SECTION("by its date") {
        CHECK(commit("early", {"\"0xF\"", "Sat, 21 Nov 2026 11:59:59 GMT"}, "\"0x1\"") == "\"0x3\"");
        CHECK(test::read_text_file(copy) == "late");
    }
    SECTION("by its ETag within a second") {
        CHECK(commit("early", {"\"0x2\"", kNoon}, "\"0x1\"") == "\"0x3\"");
        CHECK(read_etag_file(path).value() == "\"0x3\"");
    }
    SECTION("a later one takes its place") {
        CHECK(commit("later", {"\"0x1\"", "Sat, 21 Nov 2026 12:00:01 GMT"}, "\"0x1\"").empty());
        CHECK(test::read_text_file(copy) == "later");
    }
    SECTION("nobody has saved a version since: an older one is what the blob has now") {
        CHECK(commit("restored", {"\"0x2\"", "Sat, 21 Nov 2026 11:59:59 GMT"}, "\"0x3\"").empty());
        CHECK(test::read_text_file(copy) == "restored");
    }
    SECTION("the copy is gone") {
        REQUIRE(::unlink(copy.c_str()) == 0);
        CHECK(commit("early", {"\"0x2\"", kNoon}, "\"0x1\"").empty());
    }
}

TEST_CASE("a link to the ETag file is followed if it is ours, and refused if it belongs to another user") {
    const test::TempDir dir;
    const std::string target = dir.write("target", "old");
    const std::string link = dir.file("link");
    REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
    REQUIRE(save_etag_file(link, "new"));
    CHECK(read_etag_file(link).value() == "new");
    CHECK(test::read_text_file(target) == "new\n");
    if (::lchown(link.c_str(), 65534, 65534) != 0) {
        WARN("SKIPPED: this user cannot give files away");
        return;
    }
    CHECK(read_etag_file(link).error().code == ErrorCode::input_missing);
    const auto saved = save_etag_file(link, "newer");
    REQUIRE(!saved);
    CHECK(saved.error().code == ErrorCode::io);
    CHECK(saved.error().message.find("symbolic link of another user") != std::string::npos);
    CHECK(test::read_text_file(target) == "new\n");
}

TEST_CASE("a lock of flock(1) on the ETag file keeps nobody waiting") {
    const test::TempDir dir;
    const std::string path = dir.write("etag", "old");
    const Fd held(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    CHECK(save_etag_file(path, "new"));
}

}  // namespace azlock::ops
