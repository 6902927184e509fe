// The locks that this process already runs under, as the environment tells: AZLOCK_HELD, and the variables of the
// inner- most one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace azlock::cli {

struct HeldEntry {
    std::string name;  // as it was given
    std::string url;   // of the lock's blob, without a SAS
    std::string lease_id;
    std::string fence;  // empty: the lock has slots
    std::uint64_t slot = 0;
};

// Outermost first. Empty where the variable is absent or not of our making.
[[nodiscard]] std::vector<HeldEntry> held_locks();

// The innermost one: AZLOCK_URL and AZLOCK_LEASE_ID. Error: usage, where azlock is not run under a lock.
[[nodiscard]] Result<HeldEntry> innermost_lock();

// AZLOCK_NAME, _URL, _LEASE_ID, _FENCE, _SLOT for the lock, and AZLOCK_HELD with it at the end of `outer`: changes of a
// command's environment ("NAME=VALUE", "NAME" to unset).
[[nodiscard]] std::vector<std::string> lock_environment(const std::vector<HeldEntry>& outer, const HeldEntry& lock);

// The same for what runs after the lock was lost: it tells which lock that was, but nothing there is inside of it. (A
// lost lease may have run out only and still be renewed; nobody would keep it.)
[[nodiscard]] std::vector<std::string> lost_lock_environment(const HeldEntry& lock);

}  // namespace azlock::cli
