// The lock "locks/name" on the fake service, one holder's turns step by step, and what other tools do to its blob.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "ops/lease/acquire.hpp"
#include "ops/lock/acquire.hpp"
#include "support/catch.hpp"
#include "unit/azure/pipeline_rig.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

struct AcquireRig {
    explicit AcquireRig(std::uint64_t slots = 1)
        : single_pipeline(rig.faulty, rig.clock, random,
                          azure::Credential::shared_key(kRigAccount, Secret(kFakeKey)).value(), options_with(1)),
          single(single_pipeline, rig.us.client().endpoint()),
          acquirer(rig.us.client(), single, {{"locks", "name", {}}, slots}, timing, true) {}

    Result<ops::HeldLock> take() {
        auto outcome = acquirer.try_once({});
        if (!outcome) return fail(outcome.error());
        if (auto* held = std::get_if<ops::HeldLock>(&*outcome)) {
            auto etag = acquirer.write_record(*held, record, {});
            if (!etag) return fail(etag.error());
            held->record_etag = *etag;
            return std::move(*held);
        }
        return fail(ErrorCode::busy, std::get<ops::LockBusy>(*outcome).view.lease.state);
    }
    // Taken, and then broken at once: its command may still run.
    void broken() {
        REQUIRE(take());
        REQUIRE(rig.peer.client().break_lease(blob, 0, {}, {}));
    }
    // An azlock lease acquire of somebody else, for 15 s.
    Result<ops::AcquiredLease> acquired_by_peer(std::optional<ops::OwnerRecord> by = {}) {
        ops::AcquireOptions options;
        options.duration = 15;
        options.record = std::move(by);
        return ops::acquire_lease(rig.peer.client(), blob, options, {});
    }
    // What is left after the command has ended in good order.
    void leave(const ops::HeldLock& held) {
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

    Rig rig;
    SeededRandom random{3};
    azure::Pipeline single_pipeline;
    azure::BlobClient single;
    ops::LockTiming timing = ops::make_lock_timing(std::chrono::seconds(15), {}).value();
    ops::Acquirer acquirer;
    ops::OwnerRecord record = [] {
        ops::OwnerRecord out;
        out.owner = "deploy";
        return out;
    }();
    azure::BlobAddress blob{"locks", "name", {}};
};

}  // namespace azlock::test
