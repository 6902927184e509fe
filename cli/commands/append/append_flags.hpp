// The flags of append that say how it writes.
#pragma once

#include "cli/flags/fence_flags.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/append/request.hpp"

namespace azlock::cli {

struct AppendFlags {
    ops::AppendRequest request;
    FenceFlags fence;
    bool no_create = false;
};
void add_append_flags(Parser& command, AppendFlags& flags);

// Notices of waits, outages and rotations go to the context's output. Error: usage.
[[nodiscard]] Result<ops::AppendRequest> read_append_flags(const AppendFlags& flags, Context& context);

}  // namespace azlock::cli
