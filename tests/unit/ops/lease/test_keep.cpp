// Keeping a lease: renewals on time, through short outages, and never for longer than the lease is ours.
#include "ops/lease/keep.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using test::kOurs;
using test::kTheirs;
using test::why;

struct Keeping : test::LeaseRig {
    Keeping() {
        acquire(kOurs, 60);
        service.clear_log();
        options.lease_id = kOurs;
        options.ttl = seconds(60);
    }
    Result<Kept> run() { return keep_lease(us.client(), blob, options, {deadline, stop.get_token()}); }
    // A stop comes after the n-th renewal.
    void stop_after(std::size_t n) {
        on_lease("renew").nth(n).afterwards([&] { stop.request_stop(); });
    }

    KeepOptions options;
    std::stop_source stop;
    Deadline deadline = kNoDeadline;
};

}  // namespace

TEST_CASE("a kept lease is renewed at a quarter of its time, give or take a tenth, until told to stop") {
    Keeping k;
    int told = 0;
    k.options.holding = [&](const KeepOptions&) { ++told; };
    k.stop_after(20);
    const auto kept = k.run();
    INFO(why(kept));
    REQUIRE(kept);
    CHECK(!kept->lost);
    CHECK(kept->renewals == 20);
    CHECK(told == 1);
    const auto waits = k.clock.waits();
    CHECK(waits.size() == 19);
    for (const nanoseconds wait : waits) {
        CHECK(wait >= milliseconds(13'500));
        CHECK(wait <= milliseconds(16'500));
    }
    CHECK(*std::max_element(waits.begin(), waits.end()) > *std::min_element(waits.begin(), waits.end()));
    CHECK(k.state() == "leased");
}

TEST_CASE("a lease that is not ours from the start is an error, not a loss") {
    Keeping k;
    k.options.lease_id = kTheirs;
    const auto kept = k.run();
    REQUIRE(!kept);
    CHECK(kept.error().code == ErrorCode::busy);
}

TEST_CASE("a lease that ends under us is lost") {
    Keeping k;
    std::string says;
    SECTION("broken") {
        k.on_lease("renew").nth(3).meanwhile([&] { k.break_it(0); });
        says = "was broken";
    }
    SECTION("being broken") {
        k.on_lease("renew").nth(3).meanwhile([&] { k.break_it(30); });
        says = "being broken";
    }
    SECTION("taken by somebody else") {
        k.on_lease("renew").nth(3).meanwhile([&] {
            k.break_it(0);
            k.acquire(kTheirs);
        });
        says = "another lease id";
    }
    SECTION("the blob is gone") {
        k.on_lease("renew").nth(3).meanwhile([&] { k.service.erase("box", "data"); });
        says = "does not exist";
    }
    const auto kept = k.run();
    INFO(why(kept));
    REQUIRE(kept);
    REQUIRE(kept->lost);
    CHECK(kept->lost->message.find(says) != std::string::npos);
    CHECK(kept->lost->message.find("the lease is lost") == 0);
    CHECK(kept->renewals == 2);
}

TEST_CASE("an outage that ends in time is no loss") {
    Keeping k;
    SECTION("a busy service") {
        k.on_lease("renew").nth(2, 20).return_status(503, "ServerBusy");
        k.stop_after(25);
    }
    SECTION("no answers") {
        k.on_lease("renew").nth(2, 5).stall(false);
        k.stop_after(10);
    }
    SECTION("lost answers") {
        k.on_lease("renew").nth(2, 10).drop_reply();
        k.stop_after(15);
    }
    SECTION("a proxy's own 404") {
        k.on_lease("renew").nth(2, 5).return_response({404, {}, "not found", 1, false});
        k.stop_after(10);
    }
    const auto kept = k.run();
    INFO(why(kept));
    REQUIRE(kept);
    INFO((kept->lost ? kept->lost->message : std::string()));
    CHECK(!kept->lost);
    CHECK(k.state() == "leased");
}

TEST_CASE("an outage that lasts is a loss when the time from before the last renewal is over, and not later") {
    Keeping k;
    BootTime last{};
    k.on_lease("renew").nth(2).with("slow answer", [&](const test::FaultCall& call) {
        last = k.clock.now();
        auto answer = call.forward(call.request);
        k.clock.advance(milliseconds(800));  // the answer's way back
        return answer;
    });
    SECTION("a busy service") {
        k.on_lease("renew").from(3).return_status(503, "ServerBusy");
    }
    SECTION("no answers") {
        k.on_lease("renew").from(3).stall(false);
    }
    SECTION("no connection") {
        k.on_lease("renew").from(3).fail_before();
    }
    SECTION("no permission") {
        k.on_lease("renew").from(3).return_status(403, "AuthorizationFailure");
    }
    const auto kept = k.run();
    INFO(why(kept));
    REQUIRE(kept);
    REQUIRE(kept->lost);
    CHECK(kept->lost->code == ErrorCode::unavailable);
    CHECK(kept->renewals == 2);
    CHECK(k.clock.now() - last >= seconds(60));
    CHECK(k.clock.now() - last <= milliseconds(60'600));  // one attempt may be under way
    CHECK(k.faulty.requests() >= 5);                      // it did not give up early
}

TEST_CASE("after a pause of the machine one renewal decides") {
    Keeping k;
    const auto sleeps = [&] { k.clock.advance(minutes(10)); };
    SECTION("nobody came: it goes on") {
        k.on_lease("renew").nth(2).afterwards(sleeps);
        k.stop_after(5);
        const auto kept = k.run();
        REQUIRE(kept);
        CHECK(!kept->lost);
        CHECK(k.state() == "leased");
    }
    SECTION("somebody came and went: lost") {
        k.on_lease("renew").nth(2).afterwards([&] {
            sleeps();
            k.acquire(kTheirs, 15);
            k.release(kTheirs);
        });
        const auto kept = k.run();
        REQUIRE(kept);
        REQUIRE(kept->lost);
        CHECK(kept->lost->code == ErrorCode::precondition);
    }
    SECTION("no answer: lost") {
        k.on_lease("renew").nth(2).afterwards(sleeps);
        k.on_lease("renew").from(3).stall(false);
        const auto kept = k.run();
        REQUIRE(kept);
        REQUIRE(kept->lost);
        CHECK(kept->lost->code == ErrorCode::unavailable);
    }
    SECTION("while a renewal was under way") {
        k.on_lease("renew").nth(3).with("suspend", [&](const test::FaultCall&) -> Result<http::Response> {
            sleeps();
            Error error = make_error(ErrorCode::unavailable, "the connection broke");
            error.fault = TransportFault::reset;
            return fail(error);
        });
        k.stop_after(5);
        const auto kept = k.run();
        REQUIRE(kept);
        CHECK(!kept->lost);
    }
    SECTION("only the wall clock knows of it") {
        k.on_lease("renew").nth(2).afterwards([&] { k.clock.step_wall(hours(1)); });
        k.stop_after(5);
        const auto kept = k.run();
        REQUIRE(kept);
        CHECK(!kept->lost);
    }
    SECTION("only the wall clock knows of it, and there is no answer: lost, once and for all") {
        k.on_lease("renew").nth(2).afterwards([&] { k.clock.step_wall(hours(1)); });
        k.on_lease("renew").from(3).return_status(503, "ServerBusy");
        const BootTime start = k.clock.now();
        const auto kept = k.run();
        REQUIRE(kept);
        CHECK(kept->lost);
        CHECK(k.clock.now() - start < seconds(60));
    }
}

TEST_CASE("a wall clock that is set back changes nothing") {
    Keeping k;
    k.on_lease("renew").nth(2).afterwards([&] { k.clock.step_wall(-hours(1)); });
    k.on_lease("renew").from(3).return_status(503, "ServerBusy");
    const BootTime start = k.clock.now();
    const auto kept = k.run();
    REQUIRE(kept);
    CHECK(kept->lost);
    CHECK(k.clock.now() - start < seconds(80));
}

TEST_CASE("an infinite lease survives an outage of hours, and is lost only when the service says so") {
    Keeping k;
    k.acquire(kOurs, -1);
    k.options.infinite = true;
    k.on_lease("renew").nth(2, 2500).return_status(503, "ServerBusy");
    SECTION("still ours") {
        k.stop_after(2505);
        const BootTime start = k.clock.now();
        const auto kept = k.run();
        REQUIRE(kept);
        CHECK(!kept->lost);
        CHECK(k.clock.now() - start > hours(1));
    }
    SECTION("broken meanwhile") {
        k.on_lease("renew").nth(2502).meanwhile([&] { k.break_it(0); });
        const auto kept = k.run();
        REQUIRE(kept);
        CHECK(kept->lost);
    }
}

TEST_CASE("a stop is heard while it tries in vain") {
    Keeping k;
    int tries = 0;
    k.on_lease("renew").from(2).with("no answer, then a stop", [&](const test::FaultCall&) -> Result<http::Response> {
        if (++tries == 3) k.stop.request_stop();
        Error error = make_error(ErrorCode::unavailable, "the connection broke");
        error.fault = TransportFault::reset;
        return fail(error);
    });
    const auto kept = k.run();
    REQUIRE(kept);
    CHECK(!kept->lost);
    CHECK(tries == 3);
}

TEST_CASE("keeping ends at the command's deadline") {
    Keeping k;
    k.deadline = k.clock.after(minutes(5));
    const auto kept = k.run();
    REQUIRE(kept);
    CHECK(!kept->lost);
    CHECK(k.clock.now() == k.deadline);
    CHECK(k.state() == "leased");
}

}  // namespace azlock::ops
