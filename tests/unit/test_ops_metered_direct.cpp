// Bytes that leave straight out of the file are counted and held to the rate like those that are read.
#include <unistd.h>

#include "ops/metered_body.hpp"
#include "ops/source_file.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

using test::FakeClock;
using test::TempDir;

constexpr std::uint64_t kMiB = 1024 * 1024;

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

TEST_CASE("bytes that pass out of the file are counted once, and no more when they are read again") {
    Progress progress;
    const auto body = std::make_shared<MeteredBody>(http::make_body(std::string(10, 'x')), Meter{&progress, nullptr},
                                                    std::stop_token());
    REQUIRE(body->passing(0, 6));
    CHECK(progress.moving == 6);
    REQUIRE(body->passing(0, 6));
    CHECK(progress.moving == 6);
    std::string out(10, '\0');
    REQUIRE(body->read_at(0, std::as_writable_bytes(std::span(out))));
    CHECK(progress.moving == 10);
    body->settle();
    CHECK(progress.moving == 0);
}

TEST_CASE("bytes that pass out of the file wait for the rate, and a stop ends the wait") {
    FakeClock clock;
    RateLimit limit(clock, kMiB);
    std::stop_source stop;
    const MeteredBody body(http::make_body(std::string(4 * kMiB, 'x')), Meter{nullptr, &limit}, stop.get_token());
    const BootTime start = clock.now();
    REQUIRE(body.passing(0, 2 * kMiB));
    REQUIRE(body.passing(2 * kMiB, kMiB));
    CHECK(clock.now() - start >= std::chrono::milliseconds(2900));
    CHECK(clock.now() - start <= std::chrono::seconds(3));
    stop.request_stop();
    const auto stopped = body.passing(3 * kMiB, kMiB);
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

}  // namespace azlock::ops
