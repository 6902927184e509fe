// Blocks that are sent directly from the file: which part of the file they are, and that their bytes are counted.
#include <unistd.h>

#include "ops/files/source_file.hpp"
#include "ops/transfer/metered_body.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

using test::FakeClock;
using test::TempDir;

}  // namespace

TEST_CASE("a region of a file says which part of which descriptor it is, also when it is metered") {
    const TempDir dir;
    const auto source = SourceFile::open(dir.write("source", "0123456789")).value();
    const auto region = source->region(3, 4);
    REQUIRE(region->file_part());
    CHECK(region->file_part()->offset == 3);
    std::string bytes(4, '\0');
    CHECK(::pread(region->file_part()->fd, bytes.data(), 4, 3) == 4);
    CHECK(bytes == "3456");
    const MeteredBody metered(region, {}, {});
    REQUIRE(metered.file_part());
    CHECK(metered.file_part()->fd == region->file_part()->fd);
}

TEST_CASE("where a rate is to be kept the bytes have to be read") {
    const TempDir dir;
    const auto source = SourceFile::open(dir.write("source", "0123456789")).value();
    FakeClock clock;
    RateLimit limit(clock, 1);
    CHECK(!MeteredBody(source->region(0, 10), Meter{nullptr, &limit}, {}).file_part());
}

TEST_CASE("bytes that went out of the file are counted once, and no more when they are read again") {
    Progress progress;
    const auto body =
        std::make_shared<MeteredBody>(http::make_body(std::string(10, 'x')), Meter{&progress, nullptr}, azure::Call());
    body->on_sent(6);
    CHECK(progress.moving == 6);
    body->on_sent(6);
    CHECK(progress.moving == 6);
    std::string out(10, '\0');
    REQUIRE(body->read_at(0, std::as_writable_bytes(std::span(out))));
    CHECK(progress.moving == 10);
    body->finish();
    CHECK(progress.moving == 0);
}

}  // namespace azlock::ops
