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

// The first of held_locks() that has one of the URLs and whose azlock answers. If one has the URL but no azlock keeps
// it for this process, `tell` hears so once.
[[nodiscard]] std::optional<OuterLock> find_outer_lock(const std::vector<std::string>& urls,
                                                       const std::function<void(const std::string&)>& tell);

}  // namespace azlock::ops
