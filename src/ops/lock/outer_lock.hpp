// The lock that this process already runs under, if it is the one that it asks for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ops/lock/held_locks.hpp"
#include "ops/lock/keeper.hpp"

namespace azlock::ops {

struct OuterLock {
    HeldEntry entry;
    KeeperAnswer said;
};

struct OuterSearch {
    std::optional<OuterLock> found{};
    bool silent = false;  // its azlock lives, but has not answered: this process may be inside
};

// The first of held_locks() that has one of the URLs and whose azlock answers within `at_most`. If one has the URL but
// no azlock keeps it for this process, `tell` hears so once.
[[nodiscard]] OuterSearch find_outer_lock(const std::vector<std::string>& urls, std::chrono::milliseconds at_most,
                                          const std::function<void(const std::string&)>& tell);

}  // namespace azlock::ops
