// What a SAS means for a lease that is to be kept for long: it must permit renewals, and they end with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/credential.hpp"

namespace azlock::ops {

// A SAS that ends within this time is told of if nobody knows how long the lease is to be kept.
inline constexpr std::chrono::hours kToldSasEnd{1};

// Error (auth): the credential is a SAS that lacks one of the permissions that a lock needs for sure.
[[nodiscard]] Status check_lock_permissions(const azure::Credential& credential);

// "the SAS ends in 20 min (2026-11-21T08:00:00Z)" if the credential is a SAS that ends within `longest` from now;
// without it: within kToldSasEnd. Else empty.
[[nodiscard]] std::string describe_early_end(const azure::Credential& credential, WallTime now,
                                             std::optional<std::chrono::milliseconds> longest = {});

}  // namespace azlock::ops
