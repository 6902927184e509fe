// The fencing token of a lock: a number that grows from holder to holder, also when the blob was deleted in between.
#pragma once

#include <cstdint>
#include <optional>

#include "azure/types.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// The metadata's azl_fence; nullopt where there is none. Error (data): not a number.
[[nodiscard]] Result<std::optional<std::uint64_t>> read_fence(const azure::Metadata& metadata);

// The next token after what the metadata holds. `date` is the service's clock. Error (data): the former one cannot be
// read, or is more than a day ahead of the service's clock.
[[nodiscard]] Result<std::uint64_t> next_fence(const azure::Metadata& metadata, WallTime date);

}  // namespace azlock::ops
