// What a move between the queue and its dead letters leaves behind if it breaks off (move.hpp): an original that has
// left, or a copy that never counts. Neither is a task or a dead letter.
#pragma once

#include <vector>

#include "ops/queue/task.hpp"

namespace azlock::ops {

// The names that a task may have on the other side: as a dead letter, or as a task of the queue.
[[nodiscard]] std::vector<azure::BlobAddress> names_on_other_side(const Queue& queue, const QueueTask& task);

// The task or dead letter in this blob; nullopt: it is neither.
[[nodiscard]] std::optional<QueueTask> read_either(const Queue& queue, const azure::BlobAddress& blob,
                                                   const azure::BlobProperties& properties);
// The blob on the other side that has the task's key; what is left of an earlier move only if there is no other.
[[nodiscard]] Result<std::optional<QueueTask>> find_on_other_side(const Queue& queue, const QueueTask& task,
                                                                  const azure::Call& call);

// True if the task has left, and its copy counts or has ended since. Then it is only to be deleted.
[[nodiscard]] Result<bool> has_arrived(const Queue& queue, const QueueTask& task, const azure::Call& call);
// Deletes the remains that were seen. If somebody else has changed, deleted or leased them, leaves that to him.
[[nodiscard]] Status delete_remains(const Queue& queue, const QueueTask& seen, const azure::Call& call);
// Whether a blob that was refused because of its name may be put again: nothing is there, or remains were and are
// deleted. False: another task is there. Error: busy (the one who made the remains still has their lease).
[[nodiscard]] Result<bool> make_way(const Queue& queue, const azure::BlobAddress& blob, const azure::Call& call);

}  // namespace azlock::ops
