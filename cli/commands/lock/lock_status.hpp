// `azlock lock NAME --status`: who holds the lock.
#pragma once

#include <string>

#include "cli/commands/lock/run_lock.hpp"

namespace azlock::cli {

// `watch`: the value of --watch, or empty. Errors: usage, not_found; those of the requests and of show_live().
[[nodiscard]] Status show_lock_status(const LockOptions& lock, const std::string& watch, Context& context);

}  // namespace azlock::cli
