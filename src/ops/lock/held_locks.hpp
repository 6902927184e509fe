// The locks that this process already runs under, from the environment: AZLOCK_HELD, and the variables of the innermost
// lock. An environment also gets to processes that run under no lock: only a keeper that answers (keeper.hpp) proves
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace azlock::ops {

struct HeldEntry {
    std::string name;  // as it was given
    std::string url;   // of the lock's blob, without a SAS
    std::string lease_id;
    std::string fence;  // empty: the lock has slots
    std::uint64_t slot = 0;
    std::string keeper = {};  // its address
    std::uint64_t slots = 1;  // of the lock
};

// Outermost first. Empty if AZLOCK_HELD is not set or azlock did not write it.
[[nodiscard]] std::vector<HeldEntry> held_locks();

// The innermost one: AZLOCK_URL and AZLOCK_LEASE_ID. Error: usage, if azlock does not run under a lock.
[[nodiscard]] Result<HeldEntry> innermost_lock();

// Changes of a command's environment ("NAME=VALUE", "NAME" to unset): AZLOCK_NAME, _URL, _LEASE_ID, _FENCE, _SLOT
// and _KEEPER for the lock, and AZLOCK_HELD with `outer` and the lock at the end.
[[nodiscard]] std::vector<std::string> lock_environment(const std::vector<HeldEntry>& outer, const HeldEntry& lock);

// The same for a command that runs after the lock was lost: it names the lock, but the command does not run under it.
// (A lost lease may be expired. Then a renew still succeeds, but no azlock keeps the lease.)
[[nodiscard]] std::vector<std::string> lost_lock_environment(const HeldEntry& lock);

}  // namespace azlock::ops
