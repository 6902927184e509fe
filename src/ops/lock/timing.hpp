// The times of a lock (docs/lock.md): when to renew, when to end the command, and which combinations are refused.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

struct LockTiming {
    std::chrono::nanoseconds ttl{};
    std::chrono::nanoseconds kill_after{};  // from TERM to KILL
    std::chrono::nanoseconds margin{};      // from KILL to the end of the lease

    // `sent`: the time just before the last successful acquire or renew was sent.
    [[nodiscard]] BootTime term_at(BootTime sent) const { return sent + ttl - kill_after - margin; }
    [[nodiscard]] BootTime kill_at(BootTime sent) const { return sent + ttl - margin; }
    [[nodiscard]] std::chrono::nanoseconds renew_every() const { return ttl / 4; }
    [[nodiscard]] int ttl_seconds() const {
        return static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(ttl).count());
    }
};

inline constexpr std::chrono::seconds kDefaultTtl{60};
// Renew points are spread by this fraction, so that many holders do not renew at the same moment.
inline constexpr double kRenewJitter = 0.1;
// If a renew has no answer after this time, a second one is sent on another connection.
inline constexpr std::chrono::seconds kHedgeAfter{2};

// Error (usage): the ttl is not 15 to 60 whole seconds, or there is no time for two renew attempts between the first
// renew point and TERM.
[[nodiscard]] Result<LockTiming> make_lock_timing(std::chrono::milliseconds ttl,
                                                  std::optional<std::chrono::milliseconds> kill_after);

// How long one renew attempt may take if `left` is the time until TERM.
[[nodiscard]] std::chrono::nanoseconds try_time(std::chrono::nanoseconds left);

}  // namespace azlock::ops
