// Waits for a lock: how long to pause between two tries, when to say who holds it, when to give up.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/lock/acquire.hpp"

namespace azlock::ops {

struct WaitPlan {
    bool never = false;               // end at once if somebody has it; `until` bounds what gets no answer
    std::optional<BootTime> until{};  // when to give up
    int retries = 5;                  // how many consecutive tries may fail because the service does not answer
};

// `at_most`: from now on; nullopt: forever; 0: only one try.
[[nodiscard]] WaitPlan make_wait_plan(bool never, std::optional<std::chrono::milliseconds> at_most, int retries,
                                      const Clock& clock);

// Tries until we hold the lock. Errors: busy (somebody else has it; the plan's time has passed); cancelled; unavailable
// (the service did not answer in the plan's time; the call's deadline); those of Acquirer::try_once(), after the
// retries.
[[nodiscard]] Result<HeldLock> wait_for_lock(Acquirer& acquirer, const WaitPlan& plan, Clock& clock, Random& random,
                                             const std::function<void(const std::string&)>& tell,
                                             const azure::Call& call);

}  // namespace azlock::ops
