// Moves a task to the dead letters or back, so that it is never in both places and never put twice.
//
//   1. the copy is written, marked as arriving: nobody runs, lists or revives it
//   2. the original is marked as left, under its lease: this is the decision
//   3. the copy loses its mark, if it is still the one of step 1
//   4. the original is deleted, under its lease
//
// Whoever leases an original later sees how far the first mover came, and does the rest. A mover that stalled and lost
// the lease is refused in step 2, and takes its copy away unless somebody else has taken it over.
#pragma once

#include "ops/queue/claim.hpp"

namespace azlock::ops {

// `original`: leased, with a key. Without its content the service's is copied block by block. The copy gets the first
// name on the other side that no other task has (remains.hpp), and this metadata, with the same key. Retries until the
// lease ends. Errors: those that a retry would not change; precondition: other tasks have all the names.
[[nodiscard]] Result<Finished> move_task(const Queue& queue, const Claim& original, const azure::Metadata& of_copy);

// Makes a dead letter of a claimed task. Writes the fields of claim.task, of which `died` and `key` must be set: from
// then on whoever claims the task only buries it. Then moves it to PREFIX.dead/ID, or to ID.KEY if another task has a
// dead letter of that name.
[[nodiscard]] Result<Finished> bury_task(const Queue& queue, const Claim& claim);

}  // namespace azlock::ops
