// Runs a command to its end, and passes the signals on that azlock gets meanwhile.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.hpp"
#include "os/child.hpp"
#include "os/signals.hpp"

namespace azlock::os {

// The command has its own process group. INT, TERM, HUP and QUIT that azlock gets are passed to it. It is killed at the
// second of them, or `kill_after` after the first. After a signal, signals.asked() is not 0, and the caller should
// start no other command. nullopt: not started, because a signal had already come. Error: it cannot be started
// (input_missing: it was not found).
[[nodiscard]] Result<std::optional<ChildEnd>> run_supervised(ChildOptions command, std::chrono::nanoseconds kill_after,
                                                             SignalSource& signals, Clock& clock);

}  // namespace azlock::os
