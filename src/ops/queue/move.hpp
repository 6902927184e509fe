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

#include <vector>

#include "ops/queue/claim.hpp"
#include "ops/queue/finished.hpp"

namespace azlock::ops {

struct Destination {
    std::vector<azure::BlobAddress> names;  // the first one that no other task has is taken
    azure::Metadata metadata;               // of the copy; its key is that of the claimed task
};

// `original`: leased, with a key. Without its content the service's is copied block by block. Retries until the lease
// ends. Errors: those that a retry would not change; precondition: other tasks have all the names.
[[nodiscard]] Result<Finished> move_task(const Queue& queue, const Claim& original, const Destination& to);

// True if the task has left for one of these names and its copy there counts, or is gone again.
[[nodiscard]] Result<bool> has_arrived(const Queue& queue, const QueueTask& task,
                                       const std::vector<azure::BlobAddress>& names, const azure::Call& call);

// The names that a dead letter of the task may have.
[[nodiscard]] std::vector<azure::BlobAddress> dead_letter_names(const Queue& queue, const QueueTask& task);
// The names that the dead letter has as a task of the queue.
[[nodiscard]] std::vector<azure::BlobAddress> task_names(const Queue& queue, const QueueTask& dead);

}  // namespace azlock::ops
