// The flags of append that say how it writes, and the appender's options made from them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/flags/fence_flags.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/append/appender.hpp"

namespace azlock::cli {

struct AppendFlags {
    bool exclusive = false;
    bool no_lease = false;
    bool equal_is_ours = false;
    std::string lease_id;
    std::string if_match;
    FenceFlags fence;
    bool no_create = false;
    std::string content_type;
    std::optional<std::uint64_t> max_size;
    bool rotate = false;
    bool seal = false;
    bool resume = false;
    std::optional<std::chrono::milliseconds> wait;
    std::optional<std::chrono::milliseconds> retry_for;
    std::optional<std::chrono::milliseconds> shutdown_timeout;

    [[nodiscard]] std::chrono::milliseconds time_to_stop() const {
        return shutdown_timeout.value_or(std::chrono::seconds(10));
    }
};
void add_append_flags(Parser& command, AppendFlags& flags);

// `endless`: the input is a pipe or a followed file, so by default retries have no time limit (for a pipe, giving up
// would lose input). Notices of waits, outages and rotations go to the context's output. Error: usage.
[[nodiscard]] Result<ops::AppenderOptions> read_append_flags(const AppendFlags& flags, bool endless, Context& context);

}  // namespace azlock::cli
