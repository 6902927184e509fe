// The flags of cas-update: how the new content is made, when it gives up, what else changes.
#pragma once

#include "cli/flags/content_flags.hpp"
#include "cli/flags/fence_flags.hpp"
#include "cli/program/parser.hpp"
#include "ops/cas/update.hpp"

namespace azlock::cli {

struct CasFlags {
    std::string blob;

    // One of these, or a command.
    std::string from;
    std::string add;
    std::string merge_patch;
    std::string json_patch;
    std::optional<std::string> append_line;

    ops::CasOptions options;  // the parser sets some of its members
    std::string initial;
    std::optional<std::uint64_t> max_size = 64 * 1024 * 1024;
    int skip_code = 80;
    std::optional<std::chrono::milliseconds> run_timeout;

    FenceFlags fence;
    std::optional<std::chrono::milliseconds> wait;
    bool no_lease_fallback = false;

    ContentFlags content;
};

void add_cas_flags(Parser& command, CasFlags& flags);

// The options for cas_update, from the flags and the files that they name. Errors: usage, input_missing.
[[nodiscard]] Result<ops::CasOptions> read_cas_options(const CasFlags& flags);

// Without a command: the update that the flags ask for. Errors: usage, input_missing, data.
[[nodiscard]] Result<ops::CasTransform> read_transform(const CasFlags& flags);

// The new content must come from exactly one source: one flag or a command. Error: usage.
[[nodiscard]] Status check_one_source(const CasFlags& flags, const std::vector<std::string>& command);

}  // namespace azlock::cli
