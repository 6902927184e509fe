// Random pauses stay within their bounds and differ from each other.
#include <set>

#include "base/backoff.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"

namespace azlock {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

}  // namespace

TEST_CASE("a jittered span lies between its two factors") {
    SeededRandom random(1);
    std::set<nanoseconds> seen;
    for (int i = 0; i < 200; ++i) {
        const auto span = jittered(milliseconds(1000), 0.9, 1.1, random);
        REQUIRE(span >= milliseconds(900));
        REQUIRE(span <= milliseconds(1100));
        seen.insert(span);
    }
    CHECK(seen.size() > 100);
}

TEST_CASE("decorrelated pauses grow at random up to the longest one") {
    SeededRandom random(2);
    DecorrelatedJitter pauses(random, milliseconds(100), milliseconds(2000));
    nanoseconds last = milliseconds(100);
    nanoseconds longest{0};
    for (int i = 0; i < 300; ++i) {
        const auto pause = pauses.next();
        REQUIRE(pause >= milliseconds(100));
        REQUIRE(pause <= std::min<nanoseconds>(3 * last, milliseconds(2000)));
        last = std::max<nanoseconds>(pause, milliseconds(100));
        longest = std::max(longest, pause);
    }
    CHECK(longest == milliseconds(2000));
}

TEST_CASE("the first pause can be given, and comes again after a reset") {
    SeededRandom random(3);
    DecorrelatedJitter pauses(random, milliseconds(100), milliseconds(2000), milliseconds(7));
    CHECK(pauses.next() == milliseconds(7));
    CHECK(pauses.next() >= milliseconds(100));
    pauses.reset();
    CHECK(pauses.next() == milliseconds(7));
}

TEST_CASE("a pause can be bounded more tightly for once") {
    SeededRandom random(4);
    DecorrelatedJitter pauses(random, milliseconds(100), milliseconds(60'000), milliseconds(250));
    for (int i = 0; i < 50; ++i) REQUIRE(pauses.next(milliseconds(1000)) <= milliseconds(1000));
}

}  // namespace azlock
