// What `lock` and `elect` share: the options become a run, and its end becomes an exit code and a status file.
#pragma once

#include <functional>

#include "cli/commands/lock/lock_options.hpp"
#include "cli/program/context.hpp"
#include "ops/lock/locked_run.hpp"

namespace azlock::cli {

// Calls `go` with a run that is ready and the number of retries; then sets the exit code. After each run the status
// file has its end. Errors: usage, config, io; those of the run.
[[nodiscard]] Status run_lock(const LockOptions& options, Context& context,
                              const std::function<ops::LockedRunEnd(ops::LockedRun& run, int retries)>& go);

}  // namespace azlock::cli
