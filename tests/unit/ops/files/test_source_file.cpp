// A source is read by position, and every change of it is noticed.
#include <cstdio>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "ops/files/source_file.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using test::Rig;
using test::TempDir;

std::string old_file(const TempDir& dir, const std::string& content) {
    std::string path = dir.write("source", content);
    Rig::make_old(path);
    return path;
}

void overwrite(const std::string& path, std::streamoff at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
}

std::string read(const SourceFile& source, std::uint64_t offset, std::size_t size) {
    std::string out(size, '\0');
    const auto ok = source.read(offset, std::as_writable_bytes(std::span(out)));
    REQUIRE(ok);
    return out;
}

}  // namespace

TEST_CASE("a source is read at any position, any number of times") {
    const TempDir dir;
    const auto source = SourceFile::open(old_file(dir, "0123456789"));
    REQUIRE(source);
    CHECK((*source)->size() == 10);
    CHECK(read(**source, 7, 3) == "789");
    CHECK(read(**source, 0, 4) == "0123");
    CHECK((*source)->check_unchanged());
}

TEST_CASE("what cannot be read is a missing input, and what is no regular file is refused") {
    const TempDir dir;
    const auto missing = SourceFile::open(dir.file("nothing"));
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::input_missing);
    const auto directory = SourceFile::open(dir.path());
    REQUIRE(!directory);
    CHECK(directory.error().code == ErrorCode::input_missing);
    const auto device = SourceFile::open("/dev/null");
    REQUIRE(!device);
    CHECK(device.error().code == ErrorCode::usage);
    CHECK(device.error().hint.empty());  // it is not only for uploads
}

TEST_CASE("a source that was written, cut, grown or replaced in place has changed") {
    const TempDir dir;
    const std::string path = old_file(dir, "0123456789");
    const auto source = SourceFile::open(path);
    REQUIRE(source);
    SECTION("other bytes of the same length") {
        overwrite(path, 5, "x");
    }
    SECTION("other bytes and the old time of modification") {
        overwrite(path, 5, "x");
        Rig::make_old(path);
    }
    SECTION("cut") {
        REQUIRE(truncate(path.c_str(), 9) == 0);
    }
    SECTION("grown") {
        REQUIRE(truncate(path.c_str(), 11) == 0);
    }
    const auto same = (*source)->check_unchanged();
    REQUIRE(!same);
    CHECK(same.error().code == ErrorCode::data);
    CHECK(same.error().target == path);
}

TEST_CASE("a source whose name, mode or number of links changed alone has not changed") {
    const TempDir dir;
    const std::string path = old_file(dir, "0123456789");
    const auto source = SourceFile::open(path);
    REQUIRE(source);
    SECTION("renamed") {
        REQUIRE(std::rename(path.c_str(), dir.file("other").c_str()) == 0);
    }
    SECTION("another mode") {
        REQUIRE(chmod(path.c_str(), 0400) == 0);
    }
    SECTION("another link") {
        REQUIRE(link(path.c_str(), dir.file("other").c_str()) == 0);
    }
    SECTION("deleted, as by an atomic replacement") {
        REQUIRE(unlink(path.c_str()) == 0);
    }
    CHECK((*source)->check_unchanged());
}

TEST_CASE("a source that ends too early is changed data, not an I/O error") {
    const TempDir dir;
    const std::string path = old_file(dir, "0123456789");
    const auto source = SourceFile::open(path);
    REQUIRE(source);
    const auto body = (*source)->region(4, 6);
    REQUIRE(truncate(path.c_str(), 6) == 0);
    std::string out(6, '\0');
    const auto direct = (*source)->read(4, std::as_writable_bytes(std::span(out)));
    REQUIRE(!direct);
    CHECK(direct.error().code == ErrorCode::data);
    const auto as_body = body->read_at(0, std::as_writable_bytes(std::span(out)));
    REQUIRE(!as_body);
    CHECK(as_body.error().code == ErrorCode::data);
}

TEST_CASE("a region is exactly its part of the file, and lives as long as somebody needs it") {
    const TempDir dir;
    std::shared_ptr<const http::Body> body;
    {
        auto source = SourceFile::open(old_file(dir, "0123456789"));
        REQUIRE(source);
        body = (*source)->region(2, 5);
    }
    CHECK(body->size() == 5);
    std::string out(8, '.');
    const auto all = body->read_at(0, std::as_writable_bytes(std::span(out)));
    REQUIRE(all);
    CHECK(*all == 5);
    CHECK(out == "23456...");
    const auto tail = body->read_at(3, std::as_writable_bytes(std::span(out)));
    CHECK(tail.value() == 2);
    CHECK(out.substr(0, 2) == "56");
    CHECK(body->read_at(5, std::as_writable_bytes(std::span(out))).value() == 0);
    CHECK(body->read_at(9, std::as_writable_bytes(std::span(out))).value() == 0);
}

}  // namespace azlock::ops
