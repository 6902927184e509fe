// The fencing token of a lock's next holder.
#pragma once

#include <chrono>
#include <cstdint>

#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// The fencing token that follows the one in the metadata: a number that is larger for each new holder.
struct NextFence {
    std::uint64_t token = 0;
    // No holder may get it before this time has passed. Otherwise it could be that of a former holder, if the blob was
    // deleted and made again, or its metadata was lost, within a second.
    std::chrono::seconds after{0};
};
// `modified`: when the blob was last written. `date`: now. Both by the service's clock. Error (data): the old token
// cannot be read, or it is more than a day ahead of that clock.
[[nodiscard]] Result<NextFence> next_fence(const azure::Metadata& metadata, WallTime modified, WallTime date);

}  // namespace azlock::ops
