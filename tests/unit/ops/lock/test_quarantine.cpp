// The wait for the command of a former holder, whose lease did not end in good order.
#include "http/transport_error.hpp"
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

TEST_CASE("a broken lock is held for the former holder's time before anything starts, and then acquired again") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(former->blob, 0, {}, {}));
    auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(15));
    // If we died now, our lease would still outlast that of every former holder.
    r.rig.clock.advance(seconds(59));
    CHECK(r.state() == "leased");
    r.rig.clock.advance(seconds(-59));
    const BootTime start = r.rig.clock.now();
    REQUIRE(r.acquirer.sit_out_quarantine(*held, {}));
    CHECK(r.rig.clock.now() - start >= seconds(15));
    CHECK(r.state() == "leased");
    r.rig.clock.advance(seconds(16));
    CHECK(r.state() == "expired");
}

TEST_CASE("a slot without a quarantine is taken before one with a quarantine, whatever the order") {
    AcquireRig r(3);
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(former->blob, 0, {}, {}));
    for (int turn = 0; turn < 8; ++turn) {
        const auto held = r.take();
        REQUIRE(held);
        CHECK(held->slot != former->slot);
        CHECK(held->quarantine == seconds(0));
        REQUIRE(r.acquirer.say_ended(*held, r.record, {}));
        REQUIRE(r.acquirer.release(*held, {}));
    }
    REQUIRE(r.take());
    REQUIRE(r.take());
    const auto last = r.take();
    REQUIRE(last);
    CHECK(last->slot == former->slot);
    CHECK(last->quarantine == seconds(15));
}

TEST_CASE("in a quarantine the other slots are tried, and the lease of the first one is not released") {
    AcquireRig r(2);
    const auto former = r.take();
    REQUIRE(former);
    const auto other = r.take();
    REQUIRE(other);
    r.rig.clock.advance(seconds(10));
    REQUIRE(r.rig.peer.client().break_lease(former->blob, 0, {}, {}));
    auto held = r.take();
    REQUIRE(held);
    REQUIRE(held->slot == former->slot);
    const BootTime begun = r.rig.clock.now();
    REQUIRE(r.acquirer.sit_out_quarantine(*held, {}));
    CHECK(held->slot == other->slot);
    CHECK(held->quarantine == seconds(0));
    CHECK(held->length == seconds(15));
    CHECK(r.rig.clock.now() - begun < seconds(7));
    CHECK(r.state(former->blob.blob) == "leased");
    r.rig.clock.advance(seconds(61));
    CHECK(r.state(former->blob.blob) == "expired");
}

TEST_CASE("an interrupted quarantine does not release the lock") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(former->blob, 0, {}, {}));
    auto held = r.take();
    REQUIRE(held);
    std::stop_source stop;
    stop.request_stop();
    const auto sat = r.acquirer.sit_out_quarantine(*held, {kNoDeadline, stop.get_token()});
    REQUIRE(!sat);
    CHECK(r.state() == "leased");
}

TEST_CASE("after a release, an expiry or a death that is marked there is no quarantine") {
    AcquireRig r;
    auto former = r.take();
    REQUIRE(former);
    SECTION("released") {
        r.leave(*former);
    }
    SECTION("released, and then another tool had it") {
        r.leave(*former);
        r.foreign_turn();
    }
    SECTION("broken, but its holder has noticed that and has ended its command") {
        REQUIRE(r.rig.peer.client().break_lease(former->blob, 0, {}, {}));
        r.leave(*former);
    }
    SECTION("the command has changed the lock's blob under the lease") {
        azure::Conditions lease;
        lease.lease_id = former->lease_id;
        auto metadata = r.rig.peer.client().get_properties(former->blob, {}, {})->properties.metadata;
        metadata["mine"] = "kept";
        REQUIRE(r.rig.peer.client().set_metadata(former->blob, metadata, lease, {}));
        r.leave(*former);
        CHECK(r.rig.service.peek("locks", "name")->metadata.at("mine") == "kept");
    }
    SECTION("expired") {
        r.rig.clock.advance(seconds(16));
    }
    SECTION("broken, acquired and released by another tool, then marked by an operator") {
        azure::BlobClient& peer = r.rig.peer.client();
        REQUIRE(peer.break_lease(r.blob, 0, {}, {}));
        r.foreign_turn();
        BreakOptions options;
        options.holder_is_dead = true;
        const auto broken = break_lease(peer, r.blob, options, {});
        INFO(why(broken));
        REQUIRE(broken);
        CHECK(broken->dead_mark);
    }
    SECTION("marked") {
        azure::Conditions lease;
        lease.lease_id = former->lease_id;
        const auto head = r.rig.peer.client().get_properties(former->blob, {}, {});
        REQUIRE(r.rig.peer.client().set_metadata(former->blob, with_dead_mark(head->properties.metadata), lease, {}));
        REQUIRE(r.rig.peer.client().break_lease(former->blob, 0, {}, {}));
    }
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(0));
}

TEST_CASE("a break is not forgotten, whoever had the lease since") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    azure::BlobClient& peer = r.rig.peer.client();
    SECTION("another tool acquired and released it") {
        REQUIRE(peer.break_lease(r.blob, 0, {}, {}));
        r.foreign_turn();
    }
    SECTION("lease acquire removed the record, or wrote another one") {
        REQUIRE(peer.break_lease(r.blob, 0, {}, {}));
        AcquireOptions options;
        options.duration = 30;
        if (GENERATE(false, true)) {
            options.record.emplace();
            options.record->owner = "operator";
        }
        const auto taken = acquire_lease(peer, r.blob, options, {});
        INFO(why(taken));
        REQUIRE(taken);
        REQUIRE(peer.release_lease(r.blob, taken->lease_id, {}, {}));
    }
    SECTION("somebody who knows the lease id released it") {
        REQUIRE(peer.release_lease(r.blob, former->lease_id, {}, {}));
    }
    CHECK(r.state() == "available");
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->quarantine == seconds(15));
}

TEST_CASE("after the lease of somebody who gave up in the quarantine nobody waits once more") {
    AcquireRig r;
    r.broken();
    const auto other = r.acquired_by_peer();
    REQUIRE(other);
    REQUIRE(r.rig.peer.client().release_lease(r.blob, other->lease_id, {}, {}));
    const auto once = [&] { return std::get<HeldLock>(r.acquirer.try_once({}).value()); };
    auto held = once();
    CHECK(held.quarantine == seconds(15));
    REQUIRE(r.acquirer.say_quarantine(held, r.record, held.quarantine, {}));
    r.rig.clock.advance(seconds(61));
    REQUIRE(r.state() == "expired");
    CHECK(once().quarantine == seconds(0));
}

TEST_CASE("in a quarantine the former holder is not named as the present one, and its time is kept") {
    AcquireRig r;
    r.broken();
    OwnerRecord next;
    next.owner = "next/one";
    next.host = "ci 8";
    next.pid = 55;
    auto held = std::get<HeldLock>(r.acquirer.try_once({}).value());
    REQUIRE(r.acquirer.say_quarantine(held, next, held.quarantine, {}));
    azure::BlobClient& peer = r.rig.peer.client();
    const LeaseView seen = look_at_lease(peer, r.blob, {}).value();
    CHECK(seen.holder() ==
          "next/one@ci 8 pid 55 for 0 s, in quarantine until 2023-11-14T22:13:35Z: the command of the former holder, "
          "deploy, may still run");
    CHECK(seen.way_out("locks/name") == "azlock lease break --holder-is-dead locks/name");
    CHECK(!seen.owner.fence);
    CHECK(seen.owner.slots == 1);
    BreakOptions options;
    options.conditions.owner = {{"owner", "deploy"}};
    CHECK(break_lease(peer, r.blob, options, {})->outcome == BreakReport::Outcome::no_match);
    SECTION("a break of this lease does not end the wait for the former holder") {
        options.conditions.owner = {{"owner", "next/one"}};
        options.holder_is_dead = true;
        const auto broken = break_lease(peer, r.blob, options, {});
        REQUIRE(broken);
        CHECK(broken->outcome == BreakReport::Outcome::broken);
        CHECK(broken->waits_for_earlier);
        CHECK(std::get<HeldLock>(r.acquirer.try_once({}).value()).quarantine == seconds(15));
    }
    SECTION("the record of the new holder says who it is") {
        REQUIRE(r.acquirer.sit_out_quarantine(held, {}));
        REQUIRE(r.acquirer.write_record(held, next, {}));
        const LeaseView later = look_at_lease(peer, r.blob, {}).value();
        CHECK(later.owner.owner == "next/one");
        CHECK(!later.former);
        CHECK(!later.metadata.contains(kQuarantineMark));
    }
    SECTION("the mark is forgotten if its time has passed and nobody has written a record") {
        azure::LeaseInfo lease{"locked", "leased", "fixed"};
        const auto view = [&](seconds after) {
            return make_lease_view(lease, {}, {}, seen.metadata, *seen.now + seconds(15) + after);
        };
        CHECK(view(seconds(60)).owner.owner == "next/one");
        CHECK(view(seconds(61)).holder() == "somebody who left no record");
    }
}

TEST_CASE("in a quarantine after a lease acquire only that somebody may still run is told") {
    AcquireRig r;
    r.broken();
    OwnerRecord by;
    by.owner = "operator";
    const auto other = r.acquired_by_peer(by);
    REQUIRE(other);
    REQUIRE(r.rig.peer.client().release_lease(r.blob, other->lease_id, {}, {}));
    auto held = std::get<HeldLock>(r.acquirer.try_once({}).value());
    CHECK(held.quarantine == seconds(15));
    REQUIRE(r.acquirer.say_quarantine(held, r.record, held.quarantine, {}));
    const LeaseView seen = look_at_lease(r.rig.peer.client(), r.blob, {}).value();
    CHECK(seen.holder().find("deploy for 0 s, in quarantine until ") == 0);
    CHECK(seen.holder().ends_with("the command of the former holder, somebody who left no record, may still run"));
}

TEST_CASE("a holder whose lock was broken marks no record of a later holder") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
    const OwnerRecord first = r.record;
    r.record.owner = "later";
    const auto later = r.take();
    REQUIRE(later);
    SECTION("that holds the lease") {
        CHECK(!r.acquirer.say_ended(*former, first, {}));
    }
    SECTION("that was broken, too") {
        REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
        CHECK(!r.acquirer.say_ended(*former, first, {}));
    }
    CHECK(command_may_run(r.rig.service.peek("locks", "name")->metadata));
}

TEST_CASE("a holder whose command has overwritten the record has nothing to mark") {
    AcquireRig r;
    const auto held = r.take();
    REQUIRE(held);
    azure::Conditions under_lease;
    under_lease.lease_id = held->lease_id;
    REQUIRE(r.rig.peer.client().set_metadata(r.blob, {}, under_lease, {}));
    CHECK(r.acquirer.say_ended(*held, r.record, {}) == true);
    CHECK(!command_may_run(r.rig.service.peek("locks", "name")->metadata));
}

TEST_CASE("a lease that follows a broken one is not released by a lost answer, and the next try takes it again") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
    r.rig.faulty.on(lease_action("acquire")).drop_reply();
    REQUIRE(!r.take());
    CHECK(r.state() == "leased");
    SECTION("the same azlock goes on") {
        const auto held = r.take();
        INFO(why(held));
        REQUIRE(held);
        CHECK(held->quarantine == seconds(15));
    }
    SECTION("another one waits until that lease has expired, which lasts longer than any former holder's") {
        Acquirer other(r.rig.us.client(), r.single, {{"locks", "name", {}}, 1}, r.timing, true);
        r.rig.clock.advance(seconds(59));
        CHECK(std::holds_alternative<LockBusy>(other.try_once({}).value()));
        r.rig.clock.advance(seconds(2));
        const auto held = other.try_once({});
        REQUIRE(held);
        CHECK(std::get<HeldLock>(*held).quarantine == seconds(0));
    }
    SECTION("somebody else has it now") {
        r.rig.clock.advance(seconds(61));
        REQUIRE(r.rig.peer.client().acquire_lease(r.blob, 60, "aaaaaaaa-2222-3333-4444-555555555555", {}, {}));
        const auto outcome = r.acquirer.try_once({});
        REQUIRE(outcome);
        CHECK(std::holds_alternative<LockBusy>(*outcome));
    }
}

TEST_CASE("the end of a quarantine is tried again if an answer is lost") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
    auto held = r.take();
    REQUIRE(held);
    const auto own_length = [](const http::Request& request) {
        return request.headers.get("x-ms-lease-duration") == "15";
    };
    SECTION("carried out") {
        r.rig.faulty.on(own_length, "acquire").drop_reply();
    }
    SECTION("not carried out, three times") {
        r.rig.faulty.on(own_length, "acquire").nth(1, 3).fail_before();
    }
    SECTION("no answer") {
        r.rig.faulty.on(own_length, "acquire").stall(false);
    }
    const auto sat = r.acquirer.sit_out_quarantine(*held, {});
    INFO(why(sat));
    REQUIRE(sat);
    CHECK(held->length == seconds(15));
    CHECK(r.state() == "leased");
    r.rig.clock.advance(held->acquired.boot + seconds(14) - r.rig.clock.now());
    CHECK(r.state() == "leased");
}

TEST_CASE("the end of a quarantine is not tried again when somebody else may have the lease") {
    AcquireRig r;
    const auto former = r.take();
    REQUIRE(former);
    REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
    auto held = r.take();
    REQUIRE(held);
    BootTime first{};
    r.rig.faulty
        .on([](const http::Request& request) { return request.headers.get("x-ms-lease-duration") == "15"; }, "acquire")
        .from(1)
        .with("no answer", [&](const test::FaultCall& call) -> Result<http::Response> {
            if (first == BootTime{}) first = r.rig.clock.now();
            CHECK(r.rig.clock.now() < first + seconds(15));
            CHECK(call.deadline < first + seconds(15));
            r.rig.clock.advance(call.deadline - r.rig.clock.now());
            return fail(http::timeout_error("no answer"));
        });
    CHECK(!r.acquirer.sit_out_quarantine(*held, {}));
}

}  // namespace azlock::ops
