// The numbers of a lock.
#include "ops/lock/timing.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const BootTime kSent{std::chrono::hours(5)};

LockTiming timing(milliseconds ttl, std::optional<milliseconds> kill_after = {}) {
    return make_lock_timing(ttl, kill_after).value();
}

}  // namespace

TEST_CASE("a lease of a minute leaves 45 s to renew, 10 s to end and 5 s of margin") {
    const LockTiming t = timing(seconds(60));
    CHECK(t.renew_every() == seconds(15));
    CHECK(t.term_at(kSent) == kSent + seconds(45));
    CHECK(t.kill_at(kSent) == kSent + seconds(55));
    CHECK(t.ttl_seconds() == 60);
}

TEST_CASE("the shortest lease has its proportions, too") {
    const LockTiming t = timing(seconds(15));
    CHECK(t.kill_after == seconds(3));
    CHECK(t.margin == milliseconds(2750));
    CHECK(t.term_at(kSent) == kSent + milliseconds(9250));
    CHECK(t.kill_at(kSent) == kSent + milliseconds(12250));
}

TEST_CASE("a ttl that the service has no lease for is refused") {
    for (const milliseconds ttl : {milliseconds(0), milliseconds(14'999), milliseconds(10'000), milliseconds(60'001),
                                   milliseconds(61'000), milliseconds(20'500)}) {
        CAPTURE(ttl.count());
        const auto made = make_lock_timing(ttl, {});
        REQUIRE(!made);
        CHECK(made.error().code == ErrorCode::usage);
    }
}

TEST_CASE("every whole second from 15 to 60 is a ttl, and two tries fit before TERM") {
    for (int ttl = 15; ttl <= 60; ++ttl) {
        CAPTURE(ttl);
        const auto made = make_lock_timing(seconds(ttl), {});
        REQUIRE(made);
        const auto latest_renew = made->renew_every() + made->renew_every() / 10;
        CHECK(made->term_at(kSent) - (kSent + latest_renew) >= seconds(3));
        CHECK(made->kill_at(kSent) > made->term_at(kSent));
        CHECK(kSent + made->ttl - made->kill_at(kSent) >= milliseconds(2750));
    }
}

TEST_CASE("a kill-after that leaves no time to renew is refused, and the largest one is named") {
    const auto made = make_lock_timing(seconds(60), seconds(50));
    REQUIRE(!made);
    CHECK(made.error().code == ErrorCode::usage);
    CHECK(made.error().hint.find("at most 36 s") != std::string::npos);
    CHECK(!make_lock_timing(seconds(15), seconds(20)));
    CHECK(make_lock_timing(seconds(60), milliseconds(35'500)));
    CHECK(!make_lock_timing(seconds(60), milliseconds(35'501)));
}

TEST_CASE("KILL may follow TERM at once") {
    const LockTiming t = timing(seconds(60), seconds(0));
    CHECK(t.term_at(kSent) == t.kill_at(kSent));
}

TEST_CASE("a renew try takes at most 5 s and a third of what is left") {
    CHECK(try_time(seconds(45)) == seconds(5));
    CHECK(try_time(seconds(9)) == seconds(3));
    CHECK(try_time(seconds(-1)) == milliseconds(1));
}

}  // namespace azlock::ops
