// The times of a lock (docs/lock.md): when to renew, when to end the command, and which combinations cannot be kept.
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

    // `sent` is the time before the last acquire or renew that succeeded was sent.
    [[nodiscard]] BootTime term_at(BootTime sent) const { return sent + ttl - kill_after - margin; }
    [[nodiscard]] BootTime kill_at(BootTime sent) const { return sent + ttl - margin; }
    [[nodiscard]] std::chrono::nanoseconds renew_every() const { return ttl / 4; }
    [[nodiscard]] int ttl_seconds() const {
        return static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(ttl).count());
    }
};

inline constexpr std::chrono::seconds kDefaultTtl{60};
// How far renew points are spread, so that many holders do not ask at once.
inline constexpr double kRenewJitter = 0.1;
// Without an answer for so long, a second renew goes out on another connection.
inline constexpr std::chrono::seconds kHedgeAfter{2};

// Error: usage, where the ttl is not 15 to 60 whole seconds, or two renew tries do not fit between the first renew
// point and TERM.
[[nodiscard]] Result<LockTiming> make_lock_timing(std::chrono::milliseconds ttl,
                                                  std::optional<std::chrono::milliseconds> kill_after);

// How long one renew try may take when TERM is `left` away.
[[nodiscard]] std::chrono::nanoseconds try_time(std::chrono::nanoseconds left);

}  // namespace azlock::ops
