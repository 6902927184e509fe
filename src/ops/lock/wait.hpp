// Waiting for a lock: how long between two tries, when to say who holds it, when to give up.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/lock/acquire.hpp"

namespace azlock::ops {

struct WaitPlan {
    bool never = false;               // one try
    std::optional<BootTime> until{};  // one last try then
    int retries = 5;                  // of a service that does not answer, in a row
};

// Decorrelated jitter: the first pause is short, the next ones are random between a quarter of a second and three times
// the one before, at most `longest`; at most 1 s while the lock may come free at any moment.
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

// Tries until the lock is ours. Errors: busy; what Acquirer::try_once gives, after the retries.
[[nodiscard]] Result<HeldLock> wait_for_lock(Acquirer& acquirer, const WaitPlan& plan, Clock& clock, Random& random,
                                             const std::function<void(const std::string&)>& tell,
                                             const azure::Call& call);

}  // namespace azlock::ops
