// The flags of append that say how it writes, and the appender's options made from them.
#pragma once

#include "cli/flags/fence_flags.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/append/appender.hpp"

namespace azlock::cli {

struct AppendFlags {
    ops::AppenderOptions options;  // the parser sets some of its members
    bool exclusive = false;
    bool no_lease = false;
    FenceFlags fence;
    bool no_create = false;
    bool resume = false;
    std::optional<std::chrono::milliseconds> wait;
    std::optional<std::chrono::milliseconds> retry_for;
    std::optional<std::chrono::milliseconds> shutdown_timeout = std::chrono::seconds(10);
};
void add_append_flags(Parser& command, AppendFlags& flags);

// `endless`: the input is a pipe or a followed file, so by default retries have no time limit (for a pipe, giving up
// would lose input). Notices of waits, outages and rotations go to the context's output. Error: usage.
[[nodiscard]] Result<ops::AppenderOptions> read_append_flags(const AppendFlags& flags, bool endless, Context& context);

}  // namespace azlock::cli
