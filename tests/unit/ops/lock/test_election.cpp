// How long a candidate waits after a term before it tries to lead again.
#include <algorithm>

#include "ops/lock/election.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST_CASE("after short and lost terms the pauses grow at random, from a second to a minute") {
    SeededRandom random(5);
    TermBackoff backoff(random);
    nanoseconds before = TermBackoff::kShortest;
    nanoseconds longest{0};
    for (int i = 0; i < 200; ++i) {
        const bool lost = i % 2 == 0;
        const nanoseconds pause = backoff.after_term(lost ? seconds(100) : milliseconds(20), lost);
        REQUIRE(pause >= seconds(1));
        REQUIRE(pause <= seconds(60));
        REQUIRE(pause <= 3 * before);
        before = pause;
        longest = std::max(longest, pause);
    }
    CHECK(longest > seconds(20));
}

TEST_CASE("after a long term a candidate competes again at once, and what was before is forgotten") {
    SeededRandom random(5);
    TermBackoff backoff(random);
    for (int i = 0; i < 50; ++i) (void)backoff.after_term(seconds(1), false);
    CHECK(backoff.after_term(seconds(10), false) == nanoseconds(0));
    CHECK(backoff.after_term(seconds(9), false) <= seconds(3));
}

}  // namespace
}  // namespace azlock::ops
