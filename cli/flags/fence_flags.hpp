// --fence[=N] and --fence-by: which fencing token a write carries.
#pragma once

#include <optional>
#include <string>

#include "cli/program/parser.hpp"
#include "ops/write/fence.hpp"

namespace azlock::cli {

struct FenceFlags {
    std::string token;  // as given; empty: no --fence; "true": --fence without a number
    std::string by;
};

// The number must follow '=', so that "--fence SRC DEST" does not take SRC as its value.
void add_fence_flags(Parser& command, FenceFlags& flags);

// nullopt without --fence. Error: usage.
[[nodiscard]] Result<std::optional<ops::Fence>> read_fence_flags(const FenceFlags& flags);

}  // namespace azlock::cli
