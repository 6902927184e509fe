// The fencing token of a lock: a number that is larger for each new holder, even if the blob was deleted in between.
#pragma once

#include <cstdint>

#include "azure/types.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// The token that follows the one in the metadata. `date` is the service's clock. Error (data): the old token cannot be
// read, or it is more than a day ahead of the service's clock.
[[nodiscard]] Result<std::uint64_t> next_fence(const azure::Metadata& metadata, WallTime date);

}  // namespace azlock::ops
