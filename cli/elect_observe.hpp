// `elect --observe`: who leads, a line for each change.
#pragma once

#include "cli/context.hpp"
#include "cli/lock_options.hpp"

namespace azlock::cli {

// Until it is stopped.
[[nodiscard]] Status observe_leader(const LockOptions& options, Context& context);

}  // namespace azlock::cli
