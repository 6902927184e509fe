// Keeps a command running under a lock, term after term, until there must be no further term.
#pragma once

#include <string>

#include "ops/lock/locked_run.hpp"
#include "ops/lock/term_backoff.hpp"

namespace azlock::ops {

// Runs terms and pauses between them. Returns the end of the last term: after a signal, if the guard has gone or could
// not end all processes, if the command cannot be executed, if the lock cannot be acquired and a later attempt would
// not help. `signalled`: somebody asked azlock to stop during a term; between two terms that is `refused`, with the
// error `cancelled`.
//
// One guard serves all terms. It starts the command again after it has reported that no process of the last term is
// left. Orders and reports keep their order, so none of them can reach a later term.
[[nodiscard]] LockedRunEnd run_election(LockedRun& term, const WaitPlan& plan);

}  // namespace azlock::ops
