// Runs a command that is told when azlock is asked to stop, and whose end is then awaited.
#pragma once

#include <chrono>

#include "cli/program/context.hpp"
#include "os/child.hpp"

namespace azlock::cli {

// It runs in a process group of its own. INT, TERM, HUP and QUIT that come to azlock go on to it; it is killed at the
// second one, or `kill_after` after the first. After a signal, also one that came before, Context::signals().asked() is
// not 0, and no other command should be begun. nullopt: it was not started, because of that.
// Error: it cannot be started; the exit code (126 or 127) is set.
[[nodiscard]] Result<std::optional<os::ChildEnd>> run_told(os::ChildOptions command,
                                                           std::chrono::nanoseconds kill_after, Context& context);

// "the command failed with exit code 3", "the command was killed by signal 9".
[[nodiscard]] std::string how_it_ended(const os::ChildEnd& end);

}  // namespace azlock::cli
