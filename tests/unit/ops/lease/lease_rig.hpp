// A blob with a lease on it, for the tests of lease operations.
#pragma once

#include <string>

#include "unit/rig.hpp"

namespace azlock::test {

inline const std::string kOurs = "aaaaaaaa-1111-2222-3333-444444444444";
inline const std::string kTheirs = "bbbbbbbb-1111-2222-3333-444444444444";
inline const std::string kOther = "cccccccc-1111-2222-3333-444444444444";

struct LeaseRig : Rig {
    LeaseRig() { service.put("box", "data", "x"); }

    FaultyTransport::Rule& on_lease(const std::string& action) { return faulty.on(lease_action(action), action); }
    // Somebody else acquires the lease. It must succeed.
    void acquire(const std::string& id, int duration = -1) {
        must(peer.client().acquire_lease(blob, duration, id, {}, {}));
    }
    void release(const std::string& id) { must(peer.client().release_lease(blob, id, {}, {})); }
    void break_it(int period = 0) { must(peer.client().break_lease(blob, period, {}, {})); }
    void describe(const azure::Metadata& metadata, const std::string& lease_id = {}) {
        azure::Conditions conditions;
        conditions.lease_id = lease_id;
        must(peer.client().set_metadata(blob, metadata, conditions, {}));
    }
    [[nodiscard]] std::string state() { return view().lease_state; }
    [[nodiscard]] std::string holder() { return view().lease_id; }

    template <typename T>
    static void must(const Result<T>& result) {
        if (!result) throw std::runtime_error(why(result));
    }
};

}  // namespace azlock::test
