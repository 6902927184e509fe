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
    std::chrono::milliseconds left;  // how long the command may still run if no further renew succeeds
    Status enough;                   // whether that is at least what was demanded; else precondition
};

// Asks the azlock that keeps the innermost lock, then renews its lease: only both prove that it is still held. `open`
// gets the URL of its blob. Neither takes longer than `min_left`. Errors: usage (no lock), that of `open`; one
// that is `lost`, also if no azlock keeps the lock for this process; those of the renew, if it decides nothing.
[[nodiscard]] Result<LockCheck> check_lock(const std::function<Result<LockPlace>(const std::string& url)>& open,
                                           std::optional<std::chrono::milliseconds> min_left, const azure::Call& call);

}  // namespace azlock::ops
