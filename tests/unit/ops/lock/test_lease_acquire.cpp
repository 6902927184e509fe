// What lease acquire keeps of a lock's record, so that the next holder waits if it must, and only then.
#include "ops/lease/acquire.hpp"
#include "ops/lease/break.hpp"
#include "support/catch.hpp"
#include "unit/ops/lock/acquire_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::AcquireRig;
using test::lease_action;
using test::why;

}  // namespace

TEST_CASE("a break is not forgotten if somebody's lease acquire has expired since") {
    AcquireRig r;
    r.broken();
    std::optional<OwnerRecord> operators;
    SECTION("without a record") {}
    SECTION("with a record") {
        operators.emplace();
        operators->owner = "operator";
    }
    REQUIRE(r.acquired_by_peer(operators));
    r.rig.clock.advance(seconds(16));
    REQUIRE(r.state() == "expired");
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(15));
    r.rig.clock.advance(seconds(61));
    const auto next = r.take();  // that record says nothing about a former holder
    REQUIRE(next);
    CHECK(next->quarantine == seconds(0));
}

TEST_CASE("nobody waits for a holder that is dead, also if somebody's lease acquire has kept its times") {
    AcquireRig r;
    r.broken();
    const auto acquired = r.acquired_by_peer();  // without a record
    REQUIRE(acquired);
    const bool released = GENERATE(true, false);
    if (released) REQUIRE(r.rig.peer.client().release_lease(r.blob, acquired->lease_id, {}, {}));
    BreakOptions dead;
    dead.holder_is_dead = true;
    const auto report = break_lease(r.rig.peer.client(), r.blob, dead, {});
    REQUIRE(report);
    CHECK(report->dead_mark == true);
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(0));
    CHECK(held->fence > 1);
}

TEST_CASE("a break is not forgotten if a lease acquire was killed before it wrote its record") {
    AcquireRig r;
    r.broken();
    SECTION("nobody else had the lock") {}
    SECTION("another tool has released it") {
        r.foreign_turn();
    }
    SECTION("a later holder was broken when the lease was to be acquired") {
        r.rig.faulty.on(lease_action("acquire")).nth(1).with("broken again", [&](const test::FaultCall& call) {
            Acquirer other(r.rig.peer.client(), r.rig.peer.client(), {{"locks", "name", {}}, 1}, r.timing, false);
            const auto later = other.try_once({});
            REQUIRE(other.write_record(std::get<HeldLock>(later.value()), r.record, {}));
            REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
            return call.forward(call.request);
        });
    }
    const auto under_lease = [](const http::Request& request) {
        return test::operation("Set Blob Metadata")(request) && !request.headers.get("x-ms-lease-id").empty();
    };
    r.rig.faulty.on(under_lease, "the record").from(1).fail_before();
    r.rig.faulty.on(lease_action("release")).from(1).fail_before();
    AcquireOptions options;
    options.record.emplace();
    options.record->owner = "operator";
    REQUIRE(!acquire_lease(r.rig.us.client(), r.blob, options, {}));
    r.rig.faulty.clear();
    CHECK(r.state() == "leased");
    r.rig.clock.advance(seconds(61));
    CHECK(r.state() == "expired");
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(15));
}

TEST_CASE("an acquire under the id of a lock's holder does not shorten its lease") {
    AcquireRig r;
    const LockTiming minute = make_lock_timing(seconds(60), {}).value();
    Acquirer long_one(r.rig.us.client(), r.single, {{"locks", "name", {}}, 1}, minute, true);
    auto held = std::get<HeldLock>(long_one.try_once({}).value());
    held.record_etag = long_one.write_record(held, r.record, {}).value();
    AcquireOptions options;
    options.duration = 15;
    options.proposed_id = held.lease_id;
    const auto acquire = [&] {
        const auto taken = acquire_lease(r.rig.peer.client(), r.blob, options, {});
        INFO(why(taken));
        REQUIRE(taken);
        return taken->duration;
    };
    SECTION("as long as its command runs, also the second time, and with another record") {
        for (const bool with_record : {false, false, true, true}) {
            if (with_record) options.record = r.record;
            CHECK(acquire() == 60);
            r.rig.clock.advance(seconds(59));
            CHECK(r.state() == "leased");
        }
    }
    SECTION("a longer one is taken as it is asked for") {
        r.rig.clock.advance(seconds(61));
        auto next = r.take();  // for 15 s
        REQUIRE(next);
        options.proposed_id = next->lease_id;
        options.duration = 30;
        CHECK(acquire() == 30);
    }
    SECTION("when it has expired, the asked duration counts") {
        r.rig.clock.advance(seconds(61));
        CHECK(acquire() == 15);
    }
}

TEST_CASE("a break is not forgotten if it comes while somebody acquires the lease under an id of his own choice") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    const auto writes = [](const http::Request& request) { return !test::operation("Get Blob Properties")(request); };
    AcquireOptions options;
    options.duration = 15;
    SECTION("another id than the holder's: broken after the look") {
        options.proposed_id = "aaaaaaaa-2222-3333-4444-555555555555";
        r.rig.faulty.on(writes, "write").nth(1).meanwhile([&] {
            REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
        });
    }
    SECTION("the holder's id: broken after the look") {
        options.proposed_id = former->lease_id;
        r.rig.faulty.on(writes, "write").nth(1).meanwhile([&] {
            REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
        });
    }
    SECTION("the holder's id: broken just before the acquire") {
        options.proposed_id = former->lease_id;
        r.rig.faulty.on(lease_action("acquire")).nth(1).meanwhile([&] {
            REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
        });
    }
    const auto taken = acquire_lease(r.rig.us.client(), r.blob, options, {});
    INFO(why(taken));
    REQUIRE(taken);
    r.rig.clock.advance(seconds(16));
    REQUIRE(r.state() == "expired");
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(15));
}

TEST_CASE("lease acquire under the holder's id says of no command that goes on after a pause that it has ended") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    r.rig.clock.advance(seconds(16));
    REQUIRE(r.state() == "expired");
    AcquireOptions options;
    options.proposed_id = former->lease_id;
    r.rig.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] {
        Acquirer holder(r.rig.peer.client(), r.rig.peer.client(), {{"locks", "name", {}}, 1}, r.timing, true);
        REQUIRE(holder.rewrite_record(*former, r.record, {}));
    });
    const auto taken = acquire_lease(r.rig.us.client(), r.blob, options, {});
    INFO(why(taken));
    REQUIRE(taken);
    CHECK(command_may_run(r.rig.service.peek("locks", "name")->metadata));
}

TEST_CASE("an id of somebody's own choice does not help against a lock that is held under another one") {
    AcquireRig r;
    REQUIRE(r.take());
    const auto before = r.rig.service.peek("locks", "name")->metadata;
    AcquireOptions options;
    options.proposed_id = "aaaaaaaa-2222-3333-4444-555555555555";
    const auto taken = acquire_lease(r.rig.us.client(), r.blob, options, {});
    REQUIRE(!taken);
    CHECK(taken.error().code == ErrorCode::busy);
    CHECK(taken.error().message.find("it is leased by deploy") == 0);
    CHECK(r.rig.service.peek("locks", "name")->metadata == before);
}

TEST_CASE("after a lease that expired nobody waits, also if somebody's lease acquire has been released since") {
    AcquireRig r;
    REQUIRE(r.take());
    r.rig.clock.advance(seconds(16));
    REQUIRE(r.state() == "expired");
    AcquireOptions options;
    SECTION("without a record") {}
    SECTION("with a record") {
        options.record.emplace();
        options.record->owner = "operator";
    }
    SECTION("under an id that was proposed") {
        options.proposed_id = "aaaaaaaa-2222-3333-4444-555555555555";
    }
    const auto taken = acquire_lease(r.rig.peer.client(), r.blob, options, {});
    INFO(why(taken));
    REQUIRE(taken);
    REQUIRE(r.rig.peer.client().release_lease(r.blob, taken->lease_id, {}, {}));
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(0));
}

TEST_CASE("a lease acquire on a broken lock fails if it cannot keep what the record tells") {
    AcquireRig r;
    r.broken();
    r.rig.faulty.on("Set Blob Metadata").from(1).fail_before();
    AcquireOptions options;
    options.duration = 15;
    const auto acquired = acquire_lease(r.rig.us.client(), r.blob, options, {});
    REQUIRE(!acquired);
    CHECK(acquired.error().code == ErrorCode::unavailable);
    CHECK(r.state() == "broken");
    CHECK(command_may_run(r.rig.service.peek("locks", "name")->metadata));
}

}  // namespace azlock::ops
