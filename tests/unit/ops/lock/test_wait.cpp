// Waiting for a lock: how often azlock looks, what it tells, and when it ends.
#include "base/encoding.hpp"
#include "ops/lease/acquire.hpp"
#include "ops/lock/wait.hpp"
#include "support/catch.hpp"
#include "unit/ops/lock/acquire_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::AcquireRig;
using test::why;

}  // namespace

TEST_CASE("a busy lock names the holder, whatever tool it is, and the next step") {
    AcquireRig r;
    REQUIRE(r.take());
    r.rig.clock.advance(seconds(16));
    azure::BlobClient& peer = r.rig.peer.client();
    std::string message = "the lock name is held by deploy for 0 s";
    std::string hint = "to end its lease: azlock lease break locks/name";
    SECTION("azlock") {
        REQUIRE(r.take());
    }
    SECTION("an SDK with an infinite lease, and the record of an earlier azlock") {
        REQUIRE(peer.acquire_lease(r.blob, -1, {}, {}, {}));
        message = "the lock name is held by somebody who left no record";
    }
    SECTION("Terraform") {
        const std::string id = "aaaaaaaa-2222-3333-4444-555555555555";
        const std::string json = R"({"ID":")" + id + R"(","Who":"ops@laptop","Operation":"OperationTypeApply"})";
        REQUIRE(peer.set_metadata(r.blob, {{"terraformlockid", base64_encode(as_bytes(json))}}, {}, {}));
        REQUIRE(peer.acquire_lease(r.blob, -1, id, {}, {}));
        message = "the lock name is held by Terraform: ops@laptop, OperationTypeApply";
        hint = "to end its lease: azlock lease release locks/name --lease-id " + id;
    }
    SeededRandom random(5);
    std::vector<std::string> told;
    WaitPlan plan;
    plan.until = r.rig.clock.now() + seconds(9);
    const auto held = wait_for_lock(r.acquirer, plan, r.rig.clock, random,
                                    [&](const std::string& text) { told.push_back(text); }, {});
    REQUIRE(!held);
    if (message.ends_with("0 s")) message = held.error().message;  // it grows
    CHECK(held.error().message == message);
    CHECK(held.error().hint == hint);
    REQUIRE(told.size() == 1);
    CHECK(told[0].ends_with("; " + hint));
}

TEST_CASE("a waiter begins with a short pause, and then looks at random, at least every five seconds") {
    AcquireRig r;
    REQUIRE(r.take());
    SeededRandom random(5);
    const auto before = r.rig.clock.waits().size();
    const auto tell = [](const std::string&) {};
    REQUIRE(wait_for_lock(r.acquirer, {}, r.rig.clock, random, tell, {}));
    auto waits = r.rig.clock.waits();
    waits.erase(waits.begin(), waits.begin() + static_cast<std::ptrdiff_t>(before));
    REQUIRE(waits.size() > 5);
    CHECK(waits.front() == milliseconds(250));
    for (const auto wait : waits) {
        REQUIRE(wait >= milliseconds(250));
        REQUIRE(wait <= seconds(5));
    }
}

TEST_CASE("a waiter gets the lock when it expires, and says once or twice who had it") {
    AcquireRig r;
    REQUIRE(r.take());
    std::vector<std::string> told;
    SeededRandom random(5);
    const auto held =
        wait_for_lock(r.acquirer, {}, r.rig.clock, random, [&](const std::string& text) { told.push_back(text); }, {});
    INFO(why(held));
    REQUIRE(held);
    CHECK(told.size() == 1);
}

TEST_CASE("a wait that ends without the lock is busy, and the last try comes just before the end") {
    AcquireRig r;
    REQUIRE(r.take());
    SeededRandom random(5);
    WaitPlan plan;
    const BootTime start = r.rig.clock.now();
    plan.until = start + seconds(7);
    const auto held =
        wait_for_lock(r.acquirer, plan, r.rig.clock, random, [](const std::string&) {}, {*plan.until, {}});
    REQUIRE(!held);
    CHECK(held.error().code == ErrorCode::busy);
    CHECK(r.rig.clock.now() >= start + milliseconds(6750));
    CHECK(r.rig.clock.now() <= start + seconds(7));
}

TEST_CASE("a service that never answers does not make a wait longer, and the user hears of it after two seconds") {
    AcquireRig r;
    REQUIRE(r.take());
    r.rig.faulty.on(test::any_request()).from(1).stall(false);
    SeededRandom random(5);
    WaitPlan plan;
    const BootTime start = r.rig.clock.now();
    plan.until = start + seconds(20);
    std::optional<BootTime> told;
    const auto tell = [&](const std::string&) {
        if (!told) told = r.rig.clock.now();
    };
    const auto held = wait_for_lock(r.acquirer, plan, r.rig.clock, random, tell, {*plan.until, {}});
    REQUIRE(!held);
    CHECK(held.error().code == ErrorCode::unavailable);
    CHECK(r.rig.clock.now() <= *plan.until);
    CHECK(told.value() <= start + milliseconds(2300));
}

TEST_CASE("the wait for a lock counts from now") {
    test::FakeClock clock;
    clock.advance(seconds(100));
    const WaitPlan plan = make_wait_plan(false, seconds(7), 3, clock);
    CHECK(plan.until == clock.now() + seconds(7));
    CHECK(plan.retries == 3);
    CHECK_FALSE(plan.never);
    CHECK_FALSE(make_wait_plan(true, {}, 3, clock).until);
    CHECK(make_wait_plan(true, {}, 3, clock).never);
    CHECK(make_wait_plan(false, milliseconds(0), 3, clock).never);
}

}  // namespace azlock::ops
