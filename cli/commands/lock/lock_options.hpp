// The options of `lock` and `elect`, and what follows from them without a request to the service.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/lock/locked_run.hpp"

namespace azlock::cli {

struct LockOptions {
    std::string name;
    std::string container = "locks";
    std::optional<std::chrono::milliseconds> ttl;
    std::optional<std::chrono::milliseconds> kill_after;
    std::uint64_t slots = 1;
    std::vector<std::string> owner;
    std::optional<std::chrono::milliseconds> run_timeout;
    std::string on_lost;
    std::string orphans = "wait";
    std::string shell_text;
    bool no_quarantine = false;
    // lock only
    bool never_wait = false;
    std::optional<std::chrono::milliseconds> wait;
    std::optional<int> busy_code;
    std::string status_file;
    bool no_reentrant = false;
    bool gives_terminal = true;  // SessionOptions
};

// The flags of both commands.
void add_lock_flags(Parser& command, LockOptions& options);

// The command to execute: after `--`, or /bin/sh -c with -c. Error: usage.
[[nodiscard]] Result<std::vector<std::string>> lock_command_line(const LockOptions& options,
                                                                 const std::vector<std::string>& after_dashes);

// All that needs no TARGET: timing, owner record, flags. Error: usage.
[[nodiscard]] Result<ops::LockedRunOptions> locked_run_options(const LockOptions& options, const std::string& command);

// NAME as a TARGET: a blob in the container, or NAME itself if it is a TARGET already.
[[nodiscard]] std::string lock_target(const LockOptions& options);
// The blobs of the lock. Error: usage.
[[nodiscard]] Result<ops::LockName> lock_blobs(const LockOptions& options, const azure::BlobAddress& address);

}  // namespace azlock::cli
