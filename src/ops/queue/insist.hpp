// Repeats a request that ends the claim of a task, as long as the claim's lease lasts.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/backoff.hpp"
#include "ops/lease/refusal.hpp"
#include "ops/queue/claim.hpp"

namespace azlock::ops {

inline constexpr std::chrono::milliseconds kInsistPause{250};
inline constexpr std::chrono::milliseconds kLongestInsistPause{4000};

// Calls `act` with a call that ends with the lease, until it succeeds, fails with an error that a retry would not
// change, or the lease has ended. After that end nothing is sent.
template <typename Act>
[[nodiscard]] Result<Finished> insist(const Queue& queue, const Claim& claim, const Act& act) {
    Clock& clock = queue.many.clock();
    const BootTime until = claim.lease_end();
    if (clock.now() >= until) return Finished::lost;
    std::chrono::milliseconds pause = kInsistPause;
    for (;;) {
        auto result = act(azure::Call{until, {}});
        if (result) return result;
        if (clock.now() >= until) return Finished::unknown;
        if (result.error().code != ErrorCode::unavailable) return result;
        (void)clock.wait_until(std::min(clock.after(jittered(pause, 0.5, 1, queue.many.random())), until), {});
        pause = std::min(2 * pause, kLongestInsistPause);
    }
}

// What the answer to a request with the lease id says.
template <typename T>
[[nodiscard]] Result<Finished> finished_by(const Result<T>& answer) {
    if (answer) return Finished::done;
    if (is_definitive(answer.error())) return Finished::lost;
    return fail(answer.error());
}

}  // namespace azlock::ops
