// --fence[=N] and --fence-by: which fencing token a write carries.
#pragma once

#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "ops/write/fence.hpp"

namespace azlock::cli {

struct FenceFlags {
    std::string token;  // as given; empty: no --fence, "true": without a number
    std::string by;
};

// A number is only taken with '=': "--fence SRC DEST" swallows no argument.
void add_fence_flags(CLI::App& command, FenceFlags& flags);

// What was given, completed by the environment that `azlock lock` makes: AZLOCK_FENCE where there is no number,
// AZLOCK_URL where there is no --fence-by. nullopt without --fence. Error: usage.
[[nodiscard]] Result<std::optional<ops::Fence>> read_fence_flags(const FenceFlags& flags);

}  // namespace azlock::cli
