// What a refusal of the service means. The names of the codes are the service's [blob-rest 12].
#pragma once

#include "base/error.hpp"

namespace azlock::azure {

// The blob or its container does not exist. (A 404 without the service's code comes from somebody else.)
[[nodiscard]] bool is_missing(const Error& error);
[[nodiscard]] bool is_missing_blob(const Error& error);
[[nodiscard]] bool is_missing_container(const Error& error);
[[nodiscard]] bool is_existing_container(const Error& error);
// 409 or 412 because of a lease: of somebody else, or not of the id that was given.
[[nodiscard]] bool is_lease_refusal(const Error& error);
// A condition on ETag or time was not met.
[[nodiscard]] bool is_condition_not_met(const Error& error);

}  // namespace azlock::azure
