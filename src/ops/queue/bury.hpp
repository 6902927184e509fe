// Makes a dead letter of a claimed task.
#pragma once

#include "ops/queue/claim.hpp"
#include "ops/queue/finished.hpp"

namespace azlock::ops {

// Writes the fields of claim.task, of which `died` and `key` must be set: from then on whoever claims the task only
// buries it. Then moves it to PREFIX.dead/ID (move.hpp), or to ID.KEY if another task has a dead letter of that name.
[[nodiscard]] Result<Finished> bury_task(const Queue& queue, const Claim& claim);

}  // namespace azlock::ops
