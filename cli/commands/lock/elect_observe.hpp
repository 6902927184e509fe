// `elect --observe`: who leads, a line for each change.
#pragma once

#include "cli/commands/lock/lock_options.hpp"
#include "cli/program/context.hpp"

namespace azlock::cli {

// Until it is stopped.
[[nodiscard]] Status observe_leader(const LockOptions& options, Context& context);

}  // namespace azlock::cli
