// Bytes are sent at the rate that was asked for, and each is counted once while it is on its way.
#include "ops/transfer/metered_body.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace azlock::ops {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the first bytes go at once, the next ones when those are through") {
    test::FakeClock clock;
    RateLimit limit(clock, 1000);
    const BootTime start = clock.now();
    REQUIRE(limit.take(500, kNoDeadline, {}));
    CHECK(clock.now() == start);
    REQUIRE(limit.take(1000, kNoDeadline, {}));
    CHECK(clock.now() - start == milliseconds(500));
    REQUIRE(limit.take(1, kNoDeadline, {}));
    CHECK(clock.now() - start == milliseconds(1500));
}

TEST_CASE("time that nobody used is not made up for") {
    test::FakeClock clock;
    RateLimit limit(clock, 1000);
    clock.advance(seconds(100));
    const BootTime start = clock.now();
    for (int i = 0; i < 11; ++i) REQUIRE(limit.take(1000, kNoDeadline, {}));
    CHECK(clock.now() - start == seconds(10));
}

TEST_CASE("a stop ends the waiting for the rate") {
    test::FakeClock clock;
    RateLimit limit(clock, 1);
    std::stop_source stop;
    stop.request_stop();
    REQUIRE(limit.take(1000, kNoDeadline, stop.get_token()));
    const auto taken = limit.take(1, kNoDeadline, stop.get_token());
    REQUIRE(!taken);
    CHECK(taken.error().code == ErrorCode::cancelled);
}

TEST_CASE("a deadline ends the waiting for the rate when it comes") {
    test::FakeClock clock;
    RateLimit limit(clock, 1);
    const BootTime start = clock.now();
    REQUIRE(limit.take(1000, start + seconds(3), {}));
    const auto taken = limit.take(1, start + seconds(3), {});
    REQUIRE(!taken);
    CHECK(taken.error().code == ErrorCode::unavailable);
    CHECK(clock.now() == start + seconds(3));
}

TEST_CASE("a metered body keeps to the rate whatever is read at once, and gives its bytes unchanged") {
    test::FakeClock clock;
    RateLimit limit(clock, 1'000'000);
    const std::string bytes(2'000'000, 'b');
    const MeteredBody body(http::make_body(bytes), {nullptr, &limit}, {});
    std::string seen(bytes.size(), '\0');
    const BootTime start = clock.now();
    REQUIRE(body.read_at(0, std::as_writable_bytes(std::span(seen))).value() == bytes.size());
    CHECK(seen == bytes);
    CHECK(clock.now() - start > milliseconds(1900));
    CHECK(clock.now() - start <= seconds(2));
    CHECK_FALSE(body.file_part());
}

TEST_CASE("bytes on their way are counted once over repeats, and no more when the request is over") {
    Progress progress;
    std::string out(600, '\0');
    const auto piece = std::as_writable_bytes(std::span(out));
    {
        const MeteredBody body(http::make_body(std::string(1000, 'b')), {&progress, nullptr}, {});
        REQUIRE(body.read_at(0, piece));
        CHECK(progress.moving == 600);
        REQUIRE(body.read_at(0, piece));
        CHECK(progress.moving == 600);
        REQUIRE(body.read_at(600, piece));
        CHECK(progress.moving == 1000);
        body.on_sent(900);
        CHECK(progress.moving == 1000);
        body.finish();
        CHECK(progress.moving == 0);
        REQUIRE(body.read_at(0, piece));
        CHECK(progress.moving == 0);
    }
    CHECK(progress.moving == 0);
}

}  // namespace azlock::ops
