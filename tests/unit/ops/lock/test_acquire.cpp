// Getting a lock: one try, on the fake service.
#include "ops/lease/acquire.hpp"
#include "support/catch.hpp"
#include "support/scripted_transport.hpp"
#include "unit/ops/lock/acquire_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::AcquireRig;
using test::lease_action;
using test::why;

}  // namespace

TEST_CASE("a lock that is there is got with a look, an acquire and a record") {
    AcquireRig r;
    REQUIRE(r.take());
    r.rig.clock.advance(seconds(20));
    r.rig.service.clear_log();
    const auto held = r.take();
    INFO(why(held));
    REQUIRE(held);
    CHECK(r.rig.service.operations() ==
          std::vector<std::string>{"Get Blob Properties", "Lease Blob", "Set Blob Metadata"});
    CHECK(r.rig.sent("Lease Blob").has("If-Match"));
    CHECK(r.rig.service.log()[1].target.find("timeout=10") != std::string::npos);
    CHECK(held->quarantine == seconds(0));
}

TEST_CASE("the lease counts from before the acquire was sent") {
    AcquireRig r;
    const BootTime before = r.rig.clock.now();
    r.rig.faulty.on(lease_action("acquire")).delay(seconds(3), seconds(2));
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->acquired.boot == before);
}

TEST_CASE("a lock that somebody holds is busy, and its record says who") {
    AcquireRig r;
    REQUIRE(r.take());
    const auto outcome = r.acquirer.try_once({});
    REQUIRE(outcome);
    CHECK(std::get<LockBusy>(*outcome).view.lease.state == "leased");
    CHECK(!std::get<LockBusy>(*outcome).soon);
}

TEST_CASE("a break is not forgotten if our acquire before it got no answer") {
    AcquireRig r;
    r.leave(r.take().value());
    r.rig.faulty.on(lease_action("acquire")).nth(1).lose_request();
    REQUIRE(!r.take());
    Acquirer other(r.rig.peer.client(), r.rig.peer.client(), {{"locks", "name", {}}, 1}, r.timing, true);
    const auto theirs = other.try_once({});
    REQUIRE(theirs);
    REQUIRE(other.write_record(std::get<HeldLock>(*theirs), r.record, {}));
    const auto lease = [](const http::Request& request) { return test::operation("Lease Blob")(request); };
    r.rig.faulty.on(lease, "lease").nth(1).meanwhile([&] {
        REQUIRE(r.rig.peer.client().break_lease(r.blob, 0, {}, {}));
    });
    const auto held = r.take();
    INFO(why(held));
    REQUIRE(held);
    CHECK(held->quarantine == seconds(15));
}

TEST_CASE("the page of a proxy in place of the answer to the creation does not mean that somebody has the lock") {
    AcquireRig r;
    const int status = GENERATE(409, 412);
    r.rig.faulty.on("Put Blob").from(1).with("a page", [&](const test::FaultCall&) -> Result<http::Response> {
        return test::foreign_answer(status);
    });
    const auto outcome = r.acquirer.try_once({});
    REQUIRE(!outcome);
    CHECK(outcome.error().code == ErrorCode::unavailable);
    CHECK(outcome.error().message.find("does not come from Blob Storage") != std::string::npos);
}

TEST_CASE("whoever gives up after an unanswered acquire has released it") {
    AcquireRig r;
    REQUIRE(r.take());
    r.rig.clock.advance(seconds(20));
    r.rig.faulty.on(lease_action("acquire")).drop_reply();
    const auto held = r.take();
    REQUIRE(!held);
    CHECK(held.error().code == ErrorCode::unavailable);
    CHECK(r.state() == "leased");
    r.acquirer.abandon();
    CHECK(r.state() == "available");
}

TEST_CASE("a lock that changed since it was read is read again") {
    AcquireRig r;
    REQUIRE(r.take());
    r.rig.clock.advance(seconds(20));
    r.rig.faulty.on(lease_action("acquire")).meanwhile([&] {
        // Somebody else had the lock in between, so the record and the ETag have changed.
        azure::BlobClient& peer = r.rig.peer.client();
        const azure::BlobAddress blob{"locks", "name", {}};
        azure::Conditions lease;
        lease.lease_id = "aaaaaaaa-2222-3333-4444-555555555555";
        REQUIRE(peer.acquire_lease(blob, 15, lease.lease_id, {}, {}));
        REQUIRE(peer.set_metadata(blob, {{"azl_fence", "1700000900000"}}, lease, {}));
        REQUIRE(peer.release_lease(blob, lease.lease_id, {}, {}));
    });
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->fence == 1700000900001);
}

TEST_CASE("so many slots, and another number is refused") {
    AcquireRig r(2);
    REQUIRE(r.take());
    REQUIRE(r.take());
    const auto third = r.take();
    REQUIRE(!third);
    CHECK(third.error().code == ErrorCode::busy);
    Acquirer other(r.rig.us.client(), r.single, {{"locks", "name", {}}, 3}, r.timing, true);
    const auto refused = other.try_once({});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::usage);
}

TEST_CASE("the record that is written again keeps what the command has written meanwhile") {
    AcquireRig r;
    const auto held = r.take();
    REQUIRE(held);
    azure::Conditions lease;
    lease.lease_id = held->lease_id;
    auto metadata = r.rig.service.peek("locks", "name")->metadata;
    metadata["mine"] = "kept";
    REQUIRE(r.rig.peer.client().set_metadata(r.blob, metadata, lease, {}));
    const std::string before = r.rig.service.peek("locks", "name")->etag;
    REQUIRE(r.acquirer.rewrite_record(*held, r.record, {}));
    const auto view = r.rig.service.peek("locks", "name");
    CHECK(view->metadata.at("mine") == "kept");
    CHECK(view->metadata.at("azl_owner") == "deploy");
    CHECK(view->etag != before);
}

}  // namespace azlock::ops
