// What `lock` and `elect` share: their flags, the run that these make, and what its end means to the caller.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/lock/locked_run.hpp"

namespace azlock::cli {

struct LockOptions {
    ops::LockedRunOptions run;  // name, number of slots, run_timeout, on_lost
    std::string container = "locks";
    std::optional<std::chrono::milliseconds> ttl;
    std::optional<std::chrono::milliseconds> kill_after;
    std::vector<std::string> owner;
    std::string orphans = "wait";
    std::string shell_text;
    bool no_quarantine = false;
    // lock only
    std::optional<int> busy_code;
    std::string status_file;
};

// The flags of both commands.
void add_lock_flags(Parser& command, LockOptions& options);

// The command to execute: after `--`, or /bin/sh -c with -c. Error: usage.
[[nodiscard]] Result<std::vector<std::string>> lock_command_line(const LockOptions& options,
                                                                 const std::vector<std::string>& after_dashes);

// All that needs no TARGET: timing, owner record, flags. Error: usage.
[[nodiscard]] Result<ops::LockedRunOptions> locked_run_options(const LockOptions& options, const std::string& command);

// Calls `go` with a run of `options` (locked_run_options()) that is ready and the number of retries; then sets the exit
// code. After each run the status file has its end. Errors: usage, config, io; those of the run.
[[nodiscard]] Status run_lock(const LockOptions& flags, ops::LockedRunOptions options, Context& context,
                              const std::function<ops::LockedRunEnd(ops::LockedRun& run, int retries)>& go);

}  // namespace azlock::cli
