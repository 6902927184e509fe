#include "ops/lock/outer_lock.hpp"

#include <algorithm>

namespace azlock::ops {

std::optional<OuterLock> find_outer_lock(const std::vector<std::string>& urls,
                                         const std::function<void(const std::string&)>& tell) {
    bool told = false;
    for (HeldEntry& entry : held_locks()) {
        if (std::find(urls.begin(), urls.end(), entry.url) == urls.end()) continue;
        if (const auto said = ask_keeper(entry.keeper, entry.lease_id)) return OuterLock{std::move(entry), *said};
        if (!told) tell("AZLOCK_HELD names this lock, but no azlock keeps it for this process; it is not believed");
        told = true;
    }
    return std::nullopt;
}

}  // namespace azlock::ops
