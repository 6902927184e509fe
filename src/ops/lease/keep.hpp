// Renews a lease until a stop is requested, and detects when the lease is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

struct KeepOptions {
    std::string lease_id;
    // The length of the lease. An infinite lease is renewed only as a check: it is lost if the service says so.
    std::chrono::seconds ttl{15};
    bool infinite = false;
    std::function<void(const KeepOptions&)> holding;  // called after the first renew
};

struct Kept {
    std::uint64_t renewals = 0;
    std::optional<Error> lost;  // it may be somebody else's now
};

// Returns when a stop is requested, at the call's deadline, or when the lease is lost. It is lost if the service
// refuses a renew, or if its time is over, counted from just before the last successful renew was sent. After a pause
// of this machine (suspend, SIGSTOP) one renew decides: its success proves that nobody had the lease in between.
// Errors: those of the first renew; then the lease was never held here.
[[nodiscard]] Result<Kept> keep_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                      const KeepOptions& options, const azure::Call& call);

struct KeepUntilToldOptions {
    KeepOptions keep;             // without `ttl` and `infinite`
    std::optional<int> duration;  // seconds or kInfiniteLease; nullopt: infinite if the lease is that now, else 15 s
    bool release = true;          // at the end
};

struct KeptUntilTold : Kept {
    std::optional<Error> not_released;  // the release failed
};

// Keeps the lease until a stop is requested, then releases it. Errors: those of keep_lease(); unavailable, if the
// call's deadline came first (the lease is released then, too).
[[nodiscard]] Result<KeptUntilTold> keep_until_told(azure::BlobClient& client, const azure::BlobAddress& target,
                                                    const KeepUntilToldOptions& options, const azure::Call& call);

}  // namespace azlock::ops
