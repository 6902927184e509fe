// `elect --observe`: prints a line for each change of the leader.
#pragma once

#include "cli/commands/lock/lock_options.hpp"
#include "cli/program/context.hpp"

namespace azlock::cli {

// Runs until it is stopped or cannot continue.
[[nodiscard]] Status observe_leader(const LockOptions& options, Context& context);

}  // namespace azlock::cli
