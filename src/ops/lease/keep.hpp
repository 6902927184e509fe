// Renews a lease until told to stop, and knows when it is lost.
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
    // How long a renewal holds. An infinite lease is only looked after: it is lost where the service says so.
    std::chrono::seconds ttl{15};
    bool infinite = false;
    std::function<void()> holding;  // after the first renewal
};

struct Kept {
    std::uint64_t renewals = 0;
    std::optional<Error> lost;  // it may be somebody else's now
};

// Returns when a stop is requested, at the call's deadline, or when the lease is lost: refused for certain, or its
// time, counted from before the last renewal was sent, is over. After a pause of this machine (suspend, SIGSTOP) one
// renewal decides, whose success proves that nobody had the lease in between. An error: the first renewal failed, so
// the lease was never held here.
[[nodiscard]] Result<Kept> keep_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                      const KeepOptions& options, const azure::Call& call);

}  // namespace azlock::ops
