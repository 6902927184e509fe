// A lease with its holder's record, for tests that break the lease.
#pragma once

#include "ops/lease/break.hpp"
#include "unit/ops/lease/lease_rig.hpp"

namespace azlock::ops {

struct Breaking : test::LeaseRig {
    Result<BreakReport> run() { return break_lease(us.client(), blob, options, {}); }
    // What the holder does at the start of a lock.
    void hold(const std::string& id, const std::string& owner, int duration = 60) {
        acquire(id, duration);
        write_record(id, owner, duration > 0);
    }
    void write_record(const std::string& id, const std::string& owner, bool finite = true) {
        OwnerRecord record;
        record.owner = owner;
        record.fence = ++fence;
        record.since = clock.wall();
        if (finite) record.ttl = std::chrono::seconds(60);
        record.renew_every = std::chrono::seconds(15);
        record.kill_after = std::chrono::seconds(10);
        describe(with_owner_record({{"job", "17"}}, record), id);
    }
    // x-ms-lease-break-period of the last break; "none" if it had none, "no break" if there was no break.
    [[nodiscard]] std::string period() const {
        std::string out = "no break";
        for (const test::LoggedRequest& line : service.log()) {
            if (line.headers.get("x-ms-lease-action") != "break") continue;
            out = line.headers.has("x-ms-lease-break-period") ? line.headers.get("x-ms-lease-break-period") : "none";
        }
        return out;
    }

    BreakOptions options;
    std::uint64_t fence = 0;
};

}  // namespace azlock::ops
