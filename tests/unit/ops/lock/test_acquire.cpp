// Getting a lock, waiting for it, its fencing token and its quarantine, on the fake service.
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "http/transport_error.hpp"
#include "ops/lease/acquire.hpp"
#include "ops/lease/break.hpp"
#include "ops/lock/acquire.hpp"
#include "ops/lock/wait.hpp"
#include "support/catch.hpp"
#include "unit/azure/pipeline_rig.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::lease_action;
using test::why;

struct LockRig {
    explicit LockRig(std::uint64_t slots = 1)
        : single_pipeline(rig.faulty, rig.clock, random,
                          azure::Credential::shared_key(test::kRigAccount, Secret(test::kFakeKey)).value(),
                          test::options_with(1)),
          single(single_pipeline, rig.us.client().endpoint()),
          acquirer(rig.us.client(), single, {{"locks", "name", {}}, slots}, timing, true) {}

    Result<HeldLock> take() {
        auto outcome = acquirer.try_once({});
        if (!outcome) return fail(outcome.error());
        if (auto* held = std::get_if<HeldLock>(&*outcome)) {
            auto etag = acquirer.write_record(*held, record, {});
            if (!etag) return fail(etag.error());
            held->record_etag = *etag;
            return std::move(*held);
        }
        return fail(ErrorCode::busy, std::get<LockBusy>(*outcome).view.lease.state);
    }
    // What is left after the command has ended in good order.
    void leave(const HeldLock& held) {
        REQUIRE(acquirer.say_ended(held, record, {}));
        (void)acquirer.release(held, {});
        REQUIRE(state() == "available");
    }
    // Somebody with another tool acquires the lease and releases it.
    void foreign_turn() {
        const std::string id = "aaaaaaaa-2222-3333-4444-555555555555";
        REQUIRE(rig.peer.client().acquire_lease(blob, 15, id, {}, {}));
        REQUIRE(rig.peer.client().release_lease(blob, id, {}, {}));
    }
    std::string state(const std::string& name = "name") { return rig.service.peek("locks", name)->lease_state; }

    test::Rig rig;
    SeededRandom random{3};
    azure::Pipeline single_pipeline;
    azure::BlobClient single;
    LockTiming timing = make_lock_timing(seconds(15), {}).value();
    Acquirer acquirer;
    OwnerRecord record = [] {
        OwnerRecord out;
        out.owner = "deploy";
        return out;
    }();
    azure::BlobAddress blob{"locks", "name", {}};
};

}  // namespace

TEST_CASE("a lock that is there is got with a look, an acquire and a record") {
    LockRig r;
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
    LockRig r;
    const BootTime before = r.rig.clock.now();
    r.rig.faulty.on(lease_action("acquire")).delay(seconds(3), seconds(2));
    const auto held = r.take();
    REQUIRE(held);
    CHECK(held->acquired.boot == before);
}

TEST_CASE("a lock that somebody holds is busy, and its record says who") {
    LockRig r;
    REQUIRE(r.take());
    const auto outcome = r.acquirer.try_once({});
    REQUIRE(outcome);
    CHECK(std::get<LockBusy>(*outcome).view.lease.state == "leased");
    CHECK(!std::get<LockBusy>(*outcome).soon);
}

TEST_CASE("whoever gives up after an unanswered acquire has released it") {
    LockRig r;
    REQUIRE(r.take());
    r.rig.clock.advance(seconds(20));
    r.rig.faulty.on(lease_action("acquire")).drop_reply();
    const auto held = r.take();
    REQUIRE(!held);
    CHECK(held.error().code == ErrorCode::unavailable);
    CHECK(r.state() == "available");
}

TEST_CASE("a lock that changed since it was read is read again") {
    LockRig r;
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

TEST_CASE("a broken lock is held for the former holder's time before anything starts, and then acquired again") {
    LockRig r;
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

TEST_CASE("an interrupted quarantine does not release the lock") {
    LockRig r;
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
    LockRig r;
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
    LockRig r;
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

TEST_CASE("a break is not forgotten if somebody's lease acquire has expired since") {
    LockRig r;
    REQUIRE(r.take());
    azure::BlobClient& peer = r.rig.peer.client();
    REQUIRE(peer.break_lease(r.blob, 0, {}, {}));
    AcquireOptions options;
    options.duration = 15;
    SECTION("without a record") {}
    SECTION("with a record") {
        options.record.emplace();
        options.record->owner = "operator";
    }
    REQUIRE(acquire_lease(peer, r.blob, options, {}));
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

TEST_CASE("a holder whose lock was broken marks no record of a later holder") {
    LockRig r;
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

TEST_CASE("a lease that follows a broken one is not released by a lost answer, and the next try takes it again") {
    LockRig r;
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

TEST_CASE("so many slots, and another number is refused") {
    LockRig r(2);
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

TEST_CASE("the fence grows, never falls behind the clock, and is of the next second on a new blob") {
    const WallTime now{seconds(1'700'000'000)};
    const auto token = [&](const azure::Metadata& metadata) { return next_fence(metadata, now, now).value().token; };
    CHECK(token({}) == 1'700'000'001'500);
    CHECK(next_fence({}, now, now).value().after == seconds(1));
    CHECK(next_fence({}, now, now + seconds(1)).value().token == 1'700'000'001'500);
    CHECK(next_fence({}, now, now + seconds(1)).value().after == seconds(0));
    CHECK(next_fence({}, now, now + seconds(9)).value().token == 1'700'000'009'500);
    CHECK(token({{"azl_fence", "1700000001000"}}) == 1'700'000'001'001);
    CHECK(next_fence({{"azl_fence", "1700000001000"}}, now, now).value().after == seconds(0));
    CHECK(token({{"AZL_Fence", "5"}}) == 1'700'000'000'000);
    CHECK(next_fence({{"azl_fence", "x"}}, now, now).error().code == ErrorCode::data);
    CHECK(next_fence({{"azl_fence", "1700086400001"}}, now, now).error().code == ErrorCode::data);
}

TEST_CASE("no holder gets the fence of a former one, however often the blob is deleted or its metadata lost") {
    LockRig r;
    std::uint64_t last = 0;
    const auto turn = [&] {
        const auto held = r.take();
        REQUIRE(held);
        r.rig.clock.wait_until(held->fence_from, {});  // as a run does before it writes the record
        REQUIRE(r.acquirer.write_record(*held, r.record, {}));
        CHECK(held->fence > last);
        last = held->fence;
        REQUIRE(r.acquirer.release(*held, {}));
    };
    for (int round = 0; round < 6; ++round) {
        for (int holders = 0; holders < 3; ++holders) turn();
        if (round % 2 == 0) {
            r.rig.service.erase("locks", "name");
        } else {
            REQUIRE(r.rig.peer.client().set_metadata(r.blob, {}, {}, {}));
        }
    }
}

TEST_CASE("the end of a quarantine is tried again if an answer is lost") {
    LockRig r;
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
    LockRig r;
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

TEST_CASE("a busy lock names the holder, whatever tool it is, and the next step") {
    LockRig r;
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
    LockRig r;
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
    LockRig r;
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
    LockRig r;
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
    LockRig r;
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
}

}  // namespace azlock::ops
