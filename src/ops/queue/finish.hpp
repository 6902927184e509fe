// Ends the claim of a task: finishes it or gives it back. Each request carries the lease id: a worker that has lost the
// lease changes nothing.
#pragma once

#include <chrono>

#include "ops/queue/claim.hpp"

namespace azlock::ops {

// All of these retry until the lease ends. Errors: those that a retry would not change.

// Deletes the task with the lease id. If the task is missing, we deleted it only if the answer to an earlier delete was
// lost, and the lease has not ended since (then nobody knows); else the result is `lost`.
[[nodiscard]] Result<Finished> finish_task(const Queue& queue, const Claim& claim);
// True if the error of a delete or a move is that the service refuses to delete this task's blob: it has snapshots, or
// a policy protects it. All that came before the delete is done.
[[nodiscard]] bool may_not_delete(const Claim& claim, const Error& error);
// The task is finished and may not be deleted: marks it as one that is only to be deleted, so that nobody runs it
// again. If the service refuses that, too, the task stays as it is.
void leave_remains(const Queue& queue, Claim& claim);
// Writes the fields of claim.task without the owner record, then releases the lease.
[[nodiscard]] Result<Finished> give_back_task(const Queue& queue, const Claim& claim);
// The metadata of a task that nobody runs: with its fields, and without the owner record.
[[nodiscard]] azure::Metadata ended_metadata(const QueueTask& task);

// The delay after an attempt that asked for one (exit code 75): 10 s, doubled for each deferred attempt, at most one
// hour, plus up to a quarter at random.
[[nodiscard]] std::chrono::seconds later_delay(std::uint64_t deferred, Random& random);

// The pause after a task's nth failure: `first`, doubled for each failure before it, at most five minutes (or `first`
// if that is longer), plus up to a quarter at random. Whole seconds.
[[nodiscard]] std::chrono::seconds failure_pause(std::chrono::milliseconds first, std::uint64_t failures,
                                                 Random& random);

}  // namespace azlock::ops
