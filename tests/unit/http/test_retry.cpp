// http/retry: which failures are worth another try, how long to wait, and what Retry-After says.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/http_date.hpp"
#include "http/retry.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;
using namespace azlock::http;
using namespace std::chrono_literals;

namespace {

const WallTime kNow = *parse_http_date("Fri, 26 Jun 2015 23:39:12 GMT");

std::optional<std::chrono::milliseconds> read(std::string_view name, std::string value) {
    Headers headers;
    headers.set(name, std::move(value));
    return retry_after(headers, kNow);
}

}  // namespace

TEST_CASE("exactly six statuses are worth another try") {
    std::vector<int> transient;
    for (int status = 0; status < 1'000; ++status) {
        if (is_transient_status(status)) transient.push_back(status);
    }
    CHECK(transient == std::vector<int>{408, 429, 500, 502, 503, 504});
}

TEST_CASE("no answer is worth another try, unless TLS refused or our own side failed") {
    const auto transient = [](TransportFault fault) {
        Error error = make_error(ErrorCode::unavailable, "x");
        error.fault = fault;
        return is_transient(error);
    };
    for (const auto fault :
         {TransportFault::resolve, TransportFault::connect, TransportFault::timeout, TransportFault::reset,
          TransportFault::early_close, TransportFault::malformed, TransportFault::other}) {
        CHECK(transient(fault));
    }
    for (const auto fault : {TransportFault::none, TransportFault::tls, TransportFault::local_body}) {
        CHECK_FALSE(transient(fault));
    }
    CHECK_FALSE(is_transient(make_error(ErrorCode::cancelled, "stopped")));
}

TEST_CASE("each wait is below base times two to the retry, and below the cap") {
    const RetryPolicy policy;
    SeededRandom random(42);
    for (int retry = 1; retry <= 60; ++retry) {
        const auto ceiling = retry > 6 ? 30'000ms : std::min(30'000ms, 500ms * (1 << (retry - 1)));
        for (int i = 0; i < 200; ++i) {
            const auto wait = backoff(policy, retry, std::nullopt, random);
            REQUIRE(wait >= 0ms);
            REQUIRE(wait <= ceiling);
        }
    }
    CHECK(backoff(policy, 1'000'000, std::nullopt, random) <= 30'000ms);
}

TEST_CASE("the jitter is full: waits fill their whole range evenly") {
    const RetryPolicy policy;
    SeededRandom random(7);
    std::array<int, 10> bins{};
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i) {
        const auto wait = backoff(policy, 5, std::nullopt, random);  // below 8 s
        ++bins[std::min<std::size_t>(9, static_cast<std::size_t>(wait.count() / 800))];
    }
    for (const int n : bins) CHECK(n == Approx(kDraws / 10.0).epsilon(0.1));
}

TEST_CASE("what the service asks for is a lower bound, cut at the policy's own limit") {
    const RetryPolicy policy;
    SeededRandom random(1);
    for (int i = 0; i < 100; ++i) {
        CHECK(backoff(policy, 1, 10'000ms, random) == 10'000ms);
        CHECK(backoff(policy, 1, 24h, random) == policy.retry_after_cap);
        CHECK(backoff(policy, 3, 0ms, random) <= 2'000ms);
    }
    SeededRandom one(3);
    SeededRandom two(3);
    CHECK(backoff(policy, 4, 1ms, one) >= 1ms);
    CHECK(backoff(policy, 4, 0ms, two) >= 0ms);
}

TEST_CASE("Retry-After is read in seconds and as a date") {
    CHECK(read("Retry-After", "0") == 0ms);
    CHECK(read("Retry-After", "120") == 120'000ms);
    CHECK(read("retry-after", " 3 ") == 3'000ms);
    CHECK(read("Retry-After", "Fri, 26 Jun 2015 23:39:42 GMT") == 30'000ms);
    CHECK(read("Retry-After", "Fri, 26 Jun 2015 23:39:12 GMT") == 0ms);
    CHECK(read("Retry-After", "Fri, 26 Jun 2015 23:00:00 GMT") == 0ms);
    CHECK(read("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT") == 0ms);
}

TEST_CASE("a date is waited for to its end: part of a millisecond counts as one") {
    Headers headers;
    headers.set("Retry-After", "Fri, 26 Jun 2015 23:39:13 GMT");
    CHECK(retry_after(headers, kNow + 1ns) == 1'000ms);
    CHECK(retry_after(headers, kNow + 1ms) == 999ms);
}

TEST_CASE("the millisecond headers are read, and win over Retry-After where they are good") {
    CHECK(read("retry-after-ms", "1500") == 1'500ms);
    CHECK(read("x-ms-retry-after-ms", "7") == 7ms);
    Headers headers;
    headers.set("Retry-After", "9");
    headers.set("x-ms-retry-after-ms", "100");
    CHECK(retry_after(headers, kNow) == 100ms);
    headers.set("retry-after-ms", "50");
    CHECK(retry_after(headers, kNow) == 50ms);
    headers.set("retry-after-ms", "soon");
    headers.set("x-ms-retry-after-ms", "-1");
    CHECK(retry_after(headers, kNow) == 9'000ms);
}

TEST_CASE("garbage and negative values count as absent, huge ones stay within a year") {
    CHECK_FALSE(retry_after(Headers{}, kNow));
    for (const char* value : {"", " ", "-1", "+1", "1.5", "1s", "soon", "0x10", "1, 2", "2015-06-26T23:39:42Z",
                              "Fri, 26 Jun 2015", "99999999999999999999999", "\xFF"}) {
        INFO(value);
        CHECK_FALSE(read("Retry-After", value));
        CHECK_FALSE(read("retry-after-ms", value));
    }
    for (const char* name : {"Retry-After", "retry-after-ms"}) {
        for (const char* value : {"18446744073709551615", "9223372036854775807", "31622400000"}) {
            const auto wait = read(name, value);
            REQUIRE(wait);
            CHECK(*wait > 0ms);
            CHECK(*wait <= 366 * 24h);
        }
    }
    CHECK(read("Retry-After", "Tue, 31 Dec 2261 23:59:59 GMT") > 0ms);
}
