// What `lock` and `elect` share: their flags, the run that these make, and what its end means to the caller.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/lock/lock_request.hpp"

namespace azlock::cli {

struct LockOptions {
    ops::LockRequest request;
    std::string container = "locks";
    std::string shell_text;
    // lock only
    std::optional<int> busy_code;
    std::string status_file;
};

// The flags of both commands.
void add_lock_flags(Parser& command, LockOptions& options);

// The command to execute: after `--`, or /bin/sh -c with -c. Error: usage.
[[nodiscard]] Result<std::vector<std::string>> lock_command_line(const LockOptions& options,
                                                                 const std::vector<std::string>& after_dashes);

// Makes a run of `options`, which come from the flags' request, and calls `go` with it and the number of retries. Then
// sets the exit code. After each run the status file has its end. Errors: usage, config, io; those of the run.
[[nodiscard]] Status run_lock(const LockOptions& flags, ops::LockedRunOptions options, Context& context,
                              const std::function<ops::LockedRunEnd(ops::LockedRun& run, int retries)>& go);

}  // namespace azlock::cli
