// Waits for a lock: how long to pause between two tries, when to say who holds it, when to give up.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/lock/acquire.hpp"

namespace azlock::ops {

struct WaitPlan {
    bool never = false;               // try only once
    std::optional<BootTime> until{};  // the time of the last try
    int retries = 5;                  // how many consecutive tries may fail because the service does not answer
};

// Pauses with decorrelated jitter. The first one is 250 ms. Each later one is random, from 250 ms to three times the
// one before, at most `longest`. If the lock may become free at any moment (`soon`), it is at most 1 s.
class WaitPauses {
  public:
    explicit WaitPauses(Random& random, std::chrono::nanoseconds longest = std::chrono::seconds(5))
        : random_(random), longest_(longest) {}
    [[nodiscard]] std::chrono::nanoseconds next(bool soon);

  private:
    Random& random_;
    std::chrono::nanoseconds longest_;
    std::chrono::nanoseconds last_{0};
};

// "is held by ...", about somebody else's lock.
[[nodiscard]] std::string describe_busy(const LockBusy& busy);

// Tries until we hold the lock. Errors: busy; cancelled; unavailable (the call's deadline); those of
// Acquirer::try_once(), after the retries.
[[nodiscard]] Result<HeldLock> wait_for_lock(Acquirer& acquirer, const WaitPlan& plan, Clock& clock, Random& random,
                                             const std::function<void(const std::string&)>& tell,
                                             const azure::Call& call);

}  // namespace azlock::ops
