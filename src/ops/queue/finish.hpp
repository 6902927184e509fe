// Ends the claim of a task: finishes it, gives it back, or moves it to the dead letters. The lease fences each of
// these: a worker that has lost the lease changes nothing.
#pragma once

#include <chrono>

#include "ops/queue/claim.hpp"

namespace azlock::ops {

enum class Finished {
    done,
    lost,    // somebody else has the lease, or the task is gone: it is not ours any more
    unknown  // there was no answer until the lease ended
};

// All of these retry until the lease ends. Errors: those that a retry would not change.

// Deletes the task with the lease id. If the task is missing, we deleted it only if the answer to an earlier delete was
// lost; else the result is `lost`.
[[nodiscard]] Result<Finished> finish_task(const Queue& queue, const Claim& claim);
// Writes the fields of claim.task without the owner record, then releases the lease.
[[nodiscard]] Result<Finished> give_back_task(const Queue& queue, const Claim& claim);
// Writes the fields of claim.task, of which `died` and `key` must be set: from then on whoever claims the task only
// buries it. Then moves it to PREFIX.dead/ID (move.hpp), or to ID.KEY if another task has a dead letter of that name.
[[nodiscard]] Result<Finished> bury_task(const Queue& queue, const Claim& claim);

// The delay after an attempt that asked for one (exit code 75): 10 s, doubled for each deferred attempt, at most one
// hour, plus up to a quarter at random.
[[nodiscard]] std::chrono::seconds later_delay(std::uint64_t deferred, Random& random);

// The pause after a task's nth failure: `first`, doubled for each failure before it, at most five minutes (or `first`
// if that is longer), plus up to a quarter at random. Whole seconds.
[[nodiscard]] std::chrono::seconds failure_pause(std::chrono::milliseconds first, std::uint64_t failures,
                                                 Random& random);

}  // namespace azlock::ops
