// Puts a dead letter back into the queue.
#pragma once

#include "ops/queue/task.hpp"

namespace azlock::ops {

// Makes the dead letter a task again with its content, priority and metadata (move.hpp). Its attempts go on counting,
// but none counts as a failure. If an earlier call did a part of this, this one does the rest; the task is put once.
// False: an earlier call had put it back, and the task has ended since; what was left is deleted. Errors: not_found (it
// is gone), busy (somebody else is putting it back), precondition (it has changed, another task has its id, or its
// content cannot be read), those of the requests.
[[nodiscard]] Result<bool> revive_task(const Queue& queue, const QueueTask& dead, const azure::Call& call);

}  // namespace azlock::ops
