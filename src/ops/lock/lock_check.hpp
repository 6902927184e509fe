// Tells a command that runs under a lock whether the lock still holds, and for how long.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

struct LockCheck {
    // Why it is lost; empty: it is held.
    std::string lost;
    // How long the command may still run if no further renew succeeds; nullopt: the azlock that keeps the lock cannot
    // be asked.
    std::optional<std::chrono::milliseconds> left;
};

// Renews the lease: only that proves that it is still held. `term_point_path`: AZLOCK_KEEPER; empty: not set. Errors:
// those of the renew, if it decides nothing.
[[nodiscard]] Result<LockCheck> check_lock(azure::BlobClient& client, const azure::BlobAddress& blob,
                                           const std::string& lease_id, const std::string& term_point_path,
                                           const azure::Call& call);

}  // namespace azlock::ops
