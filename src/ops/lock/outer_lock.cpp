#include "ops/lock/outer_lock.hpp"

#include <algorithm>

namespace azlock::ops {

OuterSearch find_outer_lock(const std::vector<std::string>& urls, std::chrono::milliseconds at_most,
                            const std::function<void(const std::string&)>& tell) {
    bool named = false;
    bool silent = false;
    for (HeldEntry& entry : held_locks()) {
        if (std::find(urls.begin(), urls.end(), entry.url) == urls.end()) continue;
        const KeeperSays said = ask_keeper(entry.keeper, entry.lease_id, at_most);
        if (said.answer) return {.found = OuterLock{std::move(entry), *said.answer}};
        named = true;
        silent = silent || said.silent;
    }
    if (named && !silent) {
        tell("AZLOCK_HELD names this lock, but no azlock keeps it for this process; it is not believed");
    }
    return {.silent = silent};
}

}  // namespace azlock::ops
