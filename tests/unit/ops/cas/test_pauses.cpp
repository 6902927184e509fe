// Pauses beside a lease: short and long enough for everybody.
#include "ops/cas/pauses.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("looks at a lease become rarer, and after ten seconds more frequent again") {
    CHECK(between_looks(milliseconds(0)) == milliseconds(50));
    CHECK(between_looks(milliseconds(1'000)) == milliseconds(250));
    CHECK(between_looks(seconds(10)) == milliseconds(500));
    CHECK(between_looks(seconds(20)) == milliseconds(250));
    CHECK(between_looks(seconds(600)) == milliseconds(200));
}

TEST_CASE("the room before a turn is as long as a try, within bounds") {
    CHECK(room_for_others(milliseconds(0)) == milliseconds(100));
    CHECK(room_for_others(milliseconds(300)) == milliseconds(300));
    CHECK(room_for_others(seconds(60)) == seconds(1));
}

}  // namespace azlock::ops
