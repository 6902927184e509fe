// How often and for how long a command's requests are repeated.
#include "ops/transfer/tuning.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Tuning riding_out(std::optional<milliseconds> retry_for = {}) {
    Tuning out;
    out.rides_out = true;
    out.retry_for = retry_for;
    return out;
}

}  // namespace

TEST_CASE("a command that does not ride out an outage makes a few attempts") {
    const auto policy = retry_policy({}, {});
    CHECK(policy.max_attempts == kRetries + 1);
    CHECK_FALSE(policy.retry_for);
    CHECK(policy.cap == http::RetryPolicy().cap);
    CHECK(retry_policy(0, {}).max_attempts == 1);
    CHECK(describe(policy) == "up to 5 times");
    CHECK(describe(retry_policy(1, {})) == "up to 1 time");
}

TEST_CASE("a transfer goes on for five minutes, with short pauses, and makes the usual attempts in any case") {
    const auto policy = retry_policy({}, riding_out());
    CHECK(policy.retry_for == minutes(5));
    CHECK(policy.max_attempts == kRetries + 1);
    CHECK(policy.cap == seconds(10));
    CHECK(describe(policy) == "for 5 min");
}

TEST_CASE("the number of attempts alone takes the place of the five minutes") {
    const auto policy = retry_policy(8, riding_out());
    CHECK(policy.max_attempts == 9);
    CHECK_FALSE(policy.retry_for);
    CHECK(policy.cap == http::RetryPolicy().cap);
    CHECK(describe(policy) == "up to 8 times");
}

TEST_CASE("the time alone takes the place of the number of attempts") {
    const auto policy = retry_policy({}, riding_out(seconds(7)));
    CHECK(policy.retry_for == seconds(7));
    CHECK(policy.max_attempts == 1);
    CHECK(describe(policy) == "for 7 s");
    CHECK(retry_policy({}, riding_out(milliseconds(0))).retry_for == milliseconds(0));
}

TEST_CASE("with both, the attempts are made, and then the time counts") {
    const auto policy = retry_policy(3, riding_out(seconds(7)));
    CHECK(policy.retry_for == seconds(7));
    CHECK(policy.max_attempts == 4);
}

TEST_CASE("an impatient command gives up early, unless the user has set a limit") {
    const azure::PipelineOptions usual;
    azure::PipelineOptions options;
    limit_patience({.impatient = true}, true, options);
    limit_patience({}, false, options);
    CHECK(options.try_timeout == usual.try_timeout);
    CHECK(options.retry.patience == usual.retry.patience);
    limit_patience({.impatient = true}, false, options);
    CHECK(options.try_timeout == seconds(10));
    CHECK(options.retry.patience == seconds(24));
}

}  // namespace azlock::ops
