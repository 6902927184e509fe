// Breaking a lease: with a polite period, under conditions, and if nobody holds it.
#include "base/encoding.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_break_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::kTheirs;
using test::why;
using Outcome = BreakReport::Outcome;

}  // namespace

TEST_CASE("the polite period is what the record's holder needs to notice and to end") {
    OwnerRecord record;
    CHECK(!polite_period(record));
    record.ttl = seconds(60);
    CHECK(!polite_period(record));
    record.renew_every = seconds(15);
    record.kill_after = seconds(10);
    CHECK(polite_period(record) == 38);  // 18 + 5 + 10 + 5
    record.kill_after.reset();
    CHECK(polite_period(record) == 38);
    record.ttl.reset();
    CHECK(polite_period(record) == 38);
    record.ttl = seconds(15);
    record.renew_every = milliseconds(3750);
    record.kill_after = seconds(3);
    CHECK(polite_period(record) == 16);  // 4.5 + 5 + 3 + 2.75
    record.kill_after = seconds(60);
    CHECK(polite_period(record) == 60);
}

TEST_CASE("by default a holder with a record gets its time, and one without what its lease has left") {
    Breaking b;
    SECTION("a record") {
        b.hold(kTheirs, "deploy");
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(report->period == 38);
        CHECK(report->seconds_left == 38);
        CHECK(report->before.owner.owner == "deploy");
        CHECK(b.period() == "38");
        CHECK(b.state() == "breaking");
    }
    SECTION("a finite lease without a record") {
        b.acquire(kTheirs, 20);
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->seconds_left == 20);
        CHECK(b.period() == "none");
    }
    SECTION("an infinite lease without a record") {
        b.acquire(kTheirs);
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->seconds_left == 0);
        CHECK(b.state() == "broken");
    }
    SECTION("a period that was given counts before the record") {
        b.hold(kTheirs, "deploy");
        b.options.period = 0;
        REQUIRE(b.run());
        CHECK(b.period() == "0");
        CHECK(b.state() == "broken");
    }
}

TEST_CASE("without conditions a break is one look and one request, and needs no metadata") {
    Breaking b;
    b.acquire(kTheirs);
    b.service.clear_log();
    REQUIRE(b.run());
    CHECK(b.service.operations() == std::vector<std::string>{"Get Blob Properties", "Lease Blob"});
    CHECK(!b.sent("Lease Blob").has("If-Match"));
}

TEST_CASE("what cannot be looked at can be broken, but not on conditions") {
    Breaking b;
    b.acquire(kTheirs);
    SECTION("no right to read") {
        b.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationPermissionMismatch");
    }
    SECTION("a blob of staged blocks only") {
        b.service.erase("box", "data");
        b.service.stage("box", "data", "MDAx", "x");
        b.acquire(kTheirs);
    }
    b.options.conditions.owner = {{"owner", "deploy"}};
    CHECK(!b.run());
    CHECK(b.state() == "leased");
    b.options.conditions.owner.clear();
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(report->before.lease.state.empty());
    CHECK(b.state() == "broken");
}

TEST_CASE("a lease that does not fit the conditions is not touched") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.clock.advance(minutes(10));
    b.acquire(kTheirs, 60);
    b.service.clear_log();
    std::string because;
    SECTION("another owner") {
        b.options.conditions.owner = {{"owner", "somebody"}};
        because = "owner is 'deploy', not 'somebody'";
    }
    SECTION("a field that is not there") {
        b.options.conditions.owner = {{"owner", "deploy"}, {"run", "17"}};
        because = "its record has no run";
    }
    SECTION("another fence") {
        b.options.conditions.fence = 2;
        because = "its fence is 1, not 2";
    }
    SECTION("not that old") {
        b.options.conditions.older_than = minutes(11);
        because = "held for only 10 min";
    }
    const auto report = b.run();
    REQUIRE(report);
    CHECK(report->outcome == Outcome::no_match);
    CHECK(report->why.find(because) != std::string::npos);
    CHECK(b.period() == "no break");
    CHECK(b.state() == "leased");
}

TEST_CASE("a break may depend on another tool's record") {
    Breaking b;
    b.describe({{"terraformlockid",
                 base64_encode(as_bytes(R"({"ID":"x","Who":"ann@laptop","Created":"2001-01-01T00:00:00Z"})"))}});
    b.acquire(kTheirs);
    b.options.conditions.owner = {{"tool", "terraform"}, {"owner", "bob@laptop"}};
    CHECK(b.run()->outcome == Outcome::no_match);
    b.options.conditions.owner = {{"tool", "terraform"}, {"owner", "ann@laptop"}};
    b.options.conditions.older_than = minutes(5);
    CHECK(b.run()->outcome == Outcome::broken);
}

TEST_CASE("a lease whose age no record tells is never old enough") {
    Breaking b;
    b.acquire(kTheirs);
    b.clock.advance(std::chrono::hours(1000));
    b.options.conditions.older_than = seconds(1);
    const auto report = b.run();
    REQUIRE(report);
    CHECK(report->outcome == Outcome::no_match);
    CHECK(b.state() == "leased");
}

TEST_CASE("a lease that fits the conditions is broken under the version that was read") {
    Breaking b;
    b.hold(kTheirs, "deploy", -1);
    b.clock.advance(minutes(10));
    b.options.conditions.owner = {{"owner", "deploy"}, {"fence", "1"}};
    b.options.conditions.fence = 1;
    b.options.conditions.older_than = minutes(9);
    b.service.clear_log();
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(b.sent("Lease Blob").get("If-Match") == '"' + b.view().etag + '"');
}

TEST_CASE("what nobody holds is not broken") {
    Breaking b;
    const bool must = GENERATE(false, true);
    b.options.must_be_leased = must;
    SECTION("available") {
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == Outcome::not_leased);
    }
    SECTION("broken") {
        b.acquire(kTheirs);
        b.break_it();
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == Outcome::not_leased);
    }
    SECTION("expired: its holder could renew it") {
        b.acquire(kTheirs, 15);
        b.clock.advance(seconds(16));
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == (must ? Outcome::not_leased : Outcome::broken));
        CHECK(b.state() == (must ? "expired" : "broken"));
    }
    SECTION("released after the look") {
        b.acquire(kTheirs);
        b.on_lease("break").nth(1).meanwhile([&] { b.release(kTheirs); });
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == Outcome::not_leased);
    }
}

TEST_CASE("a dry run says what would be done and does nothing") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.dry_run = true;
    b.options.holder_is_dead = GENERATE(false, true);
    const auto report = b.run();
    REQUIRE(report);
    CHECK(report->outcome == Outcome::would_break);
    CHECK(report->period == (b.options.holder_is_dead ? 0 : 38));
    CHECK(b.state() == "leased");
    CHECK(b.period() == "no break");
}

TEST_CASE("waiting until it is free looks again at the end of the period") {
    Breaking b;
    b.acquire(kTheirs);
    b.options.period = 20;
    REQUIRE(b.run());
    const BootTime start = b.clock.now();
    const auto seen = wait_until_free(b.us.client(), b.blob, 20, {});
    INFO(why(seen));
    REQUIRE(seen);
    CHECK(seen->lease.state == "broken");
    CHECK(b.clock.now() - start <= seconds(21));
    std::stop_source stop;
    stop.request_stop();
    CHECK(!wait_until_free(b.us.client(), b.blob, 20, {kNoDeadline, stop.get_token()}));
}

TEST_CASE("a container's break is bound to the time of its last change") {
    Breaking b;
    b.blob.blob.clear();
    OwnerRecord record;
    record.owner = "deploy";
    b.must(b.peer.client().set_container_metadata("box", with_owner_record({}, record), {}, {}));
    b.acquire(kTheirs);
    b.options.conditions.owner = {{"owner", "deploy"}};
    SECTION("unchanged") {
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(b.sent("Lease Container", 2).has("If-Unmodified-Since"));
    }
    SECTION("changed meanwhile") {
        b.clock.advance(seconds(10));
        b.on_lease("break").nth(1).meanwhile([&] {
            record.owner = "newer";
            b.must(b.peer.client().set_container_metadata("box", with_owner_record({}, record), {}, {}));
        });
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::no_match);
    }
}

}  // namespace azlock::ops
