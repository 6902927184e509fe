// Keeping a lease for a script: how long it is, and what becomes of it at the end.
#include "ops/lease/keep.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::kOurs;
using test::why;

struct Told : test::LeaseRig {
    Told() {
        acquire(kOurs, 60);
        options.keep.lease_id = kOurs;
        options.duration = 60;
        options.keep.holding = [this](const KeepOptions& keep) { infinite = keep.infinite; };
    }
    Result<KeptUntilTold> run() { return keep_until_told(us.client(), blob, options, {deadline, stop.get_token()}); }
    void stop_after(std::size_t n) {
        on_lease("renew").nth(n).afterwards([&] { stop.request_stop(); });
    }

    KeepUntilToldOptions options;
    std::stop_source stop;
    Deadline deadline = kNoDeadline;
    std::optional<bool> infinite;
};

}  // namespace

TEST_CASE("a keeper that is told to stop releases the lease, unless it is to leave it") {
    Told t;
    t.stop_after(3);
    SECTION("released") {
        const auto kept = t.run();
        INFO(why(kept));
        REQUIRE(kept);
        CHECK(kept->renewals == 3);
        CHECK(!kept->lost);
        CHECK(!kept->not_released);
        CHECK(t.state() == "available");
    }
    SECTION("left") {
        t.options.release = false;
        REQUIRE(t.run());
        CHECK(t.state() == "leased");
    }
    SECTION("the release fails: told apart from a loss") {
        t.on_lease("release").from(1).fail_before();
        const BootTime start = t.clock.now();
        const auto kept = t.run();
        REQUIRE(kept);
        CHECK(kept->not_released);
        CHECK(!kept->lost);
        CHECK(t.clock.now() - start < seconds(60));
    }
}

TEST_CASE("a lease that is lost is not released") {
    Told t;
    t.on_lease("renew").nth(2).meanwhile([&] { t.break_it(0); });
    const auto kept = t.run();
    REQUIRE(kept);
    CHECK(kept->lost);
    CHECK(t.state() == "broken");
}

TEST_CASE("a loss that only the release shows is a loss") {
    Told t;
    t.stop_after(2);
    t.on_lease("release").nth(1).meanwhile([&] {
        t.break_it(0);
        t.acquire(test::kTheirs);
    });
    const auto kept = t.run();
    REQUIRE(kept);
    REQUIRE(kept->lost);
    CHECK(kept->lost->lost);
    CHECK(kept->lost->message.find("the lease is lost: it is leased under another lease id") == 0);
    CHECK(!kept->not_released);
    CHECK(t.holder() == test::kTheirs);
}

TEST_CASE("a keeper's time limit is an error, and the lease is released") {
    Told t;
    t.deadline = t.clock.after(std::chrono::minutes(2));
    std::string says = "the time limit of --timeout has passed";
    std::string state = "leased";
    SECTION("left") {
        t.options.release = false;
    }
    SECTION("released") {
        says += "; the lease was released";
        state = "available";
    }
    const auto kept = t.run();
    REQUIRE(!kept);
    CHECK(kept.error().code == ErrorCode::unavailable);
    CHECK(kept.error().message == says);
    CHECK(t.state() == state);
}

TEST_CASE("a keeper that is not told the length of the lease looks whether it is infinite") {
    Told t;
    t.options.duration.reset();
    const auto run = [&] {
        t.stop_after(1);
        return t.run();
    };
    SECTION("finite") {
        REQUIRE(run());
        CHECK(t.infinite == false);
    }
    SECTION("infinite") {
        t.acquire(kOurs, -1);
        REQUIRE(run());
        CHECK(t.infinite == true);
    }
    SECTION("it may not look: the first renew decides") {
        t.acquire(kOurs, -1);
        t.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationFailure");
        REQUIRE(run());
        CHECK(t.infinite == false);
    }
    SECTION("no answer to the look: an error") {
        t.faulty.on("Get Blob Properties").from(1).fail_before();
        const auto kept = t.run();
        REQUIRE(!kept);
        CHECK(kept.error().code == ErrorCode::unavailable);
        CHECK(!t.infinite);
    }
}

}  // namespace azlock::ops
