// Is the lock that this process runs under still held, and for how long at least?
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/lock/held_locks.hpp"

namespace azlock::ops {

// A blob, and a client that must outlive the check.
struct LockPlace {
    azure::BlobClient& client;
    azure::BlobAddress blob;
};

// A lock that is held.
struct LockCheck {
    HeldEntry lock;
    // How long the command may still run if no further renew succeeds; nullopt: the azlock that keeps the lock cannot
    // be asked.
    std::optional<std::chrono::milliseconds> left;
    // Whether that is at least what was demanded. Errors: unavailable (it is not known), precondition (it is less).
    Status enough;
};

// Renews the lease of the innermost lock: only that proves that it is still held. `open` gets the URL of its blob.
// Errors: usage (no lock), that of `open`; one that is `lost`; those of the renew, if it decides nothing.
[[nodiscard]] Result<LockCheck> check_lock(const std::function<Result<LockPlace>(const std::string& url)>& open,
                                           std::optional<std::chrono::milliseconds> min_left, const azure::Call& call);

}  // namespace azlock::ops
