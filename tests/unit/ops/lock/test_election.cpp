// What makes a lock an election, and how long a candidate waits after a term before it tries to lead again.
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

TEST_CASE("after a long term a candidate stands again at once, and what was before is forgotten") {
    SeededRandom random(5);
    TermBackoff backoff(random);
    for (int i = 0; i < 50; ++i) (void)backoff.after_term(seconds(1), false);
    CHECK(backoff.after_term(seconds(10), false) == nanoseconds(0));
    CHECK(backoff.after_term(seconds(9), false) <= seconds(3));
}

TEST_CASE("a candidate leads only by its own lock, and never shares a term") {
    LockedRunOptions options;
    options.owner.owner = "user";
    SECTION("the options of a candidate") {
        REQUIRE(make_candidate(options, std::nullopt));
        CHECK(!options.reentrant);
        CHECK(!options.gives_terminal);
        CHECK(options.owner.owner == "user");
    }
    SECTION("a name of its own") {
        REQUIRE(make_candidate(options, "node-3"));
        CHECK(options.owner.owner == "node-3");
        CHECK(make_candidate(options, "").error().code == ErrorCode::usage);
    }
    SECTION("no process of one term runs on in the next") {
        options.orphans = Orphans::leave;
        CHECK(make_candidate(options, std::nullopt).error().code == ErrorCode::usage);
    }
}

}  // namespace
}  // namespace azlock::ops
