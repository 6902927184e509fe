// What `lock` and `elect` share: the options become a run, and its end becomes an exit code and a status file.
#pragma once

#include <functional>

#include "cli/commands/lock/lock_options.hpp"
#include "cli/program/context.hpp"
#include "ops/lock/locked_run.hpp"

namespace azlock::cli {

// Runs `go` with a run that is ready; then prints, sets the exit code and runs the command of --on-lost. Errors: usage,
// config, io; those of the run.
[[nodiscard]] Status run_lock(const LockOptions& options, Context& context,
                              const std::function<ops::LockedRunEnd(ops::LockedRun& run)>& go);

}  // namespace azlock::cli
