// What an operator should look at in a list of leases.
#pragma once

#include <chrono>
#include <string>

#include "ops/lease/view.hpp"

namespace azlock::ops {

// A lease that is held for longer may have been forgotten.
inline constexpr std::chrono::hours kExpectedHold{24};

// Its holder has stopped renewing the lease, or has had it for longer than `expected`; empty: neither.
[[nodiscard]] std::string concern_of(const LeaseView& view, std::chrono::milliseconds expected);

}  // namespace azlock::ops
