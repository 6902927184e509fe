// What `append` does with what it has read: flags into the appender's options.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "cli/flags/fence_flags.hpp"
#include "cli/program/context.hpp"
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
void add_append_flags(CLI::App& command, AppendFlags& flags);

// `endless`: the input is a pipe, which loses what it says while nobody listens; then retries go on for ever. Notices
// of waits, outages and continuations go to the context's output. Error: usage.
[[nodiscard]] Result<ops::AppenderOptions> read_append_flags(const AppendFlags& flags, bool endless, Context& context);

}  // namespace azlock::cli
