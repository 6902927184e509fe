// Looks at one task and leaves it as it is.
#pragma once

#include <functional>
#include <string>

#include "ops/queue/find.hpp"
#include "ops/read/download.hpp"

namespace azlock::ops {

struct TaskChoice {
    std::string id;     // empty: the task that a worker would take next
    bool dead = false;  // it is a dead letter's
};

// Errors: those of peek_task().
[[nodiscard]] Result<SeenTask> look_at_task(const Queue& queue, const TaskChoice& choice, const azure::Call& call);

// Called before the content is read.
using TaskFound = std::function<void(const QueueTask& task)>;

// Reads the content of the task into `target`. Errors: usage (a dead letter without an id; nothing was sent),
// not_found; those of download_blob().
[[nodiscard]] Result<QueueTask> peek_task(const Queue& queue, const TaskChoice& choice, DownloadTarget& target,
                                          const TaskFound& found, const azure::Call& call);

struct TaskContent {
    QueueTask task;
    std::string content;
};
// What fits into one JSON document.
inline constexpr std::size_t kMostInJson = std::size_t{64} << 20U;
// The same for content that is needed as a whole. Error (data): it has more than `most` bytes.
[[nodiscard]] Result<TaskContent> peek_whole_task(const Queue& queue, const TaskChoice& choice, const TaskFound& found,
                                                  const azure::Call& call, std::size_t most = kMostInJson);

}  // namespace azlock::ops
