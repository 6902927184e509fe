// Lists the tasks and the dead letters of a queue.
#pragma once

#include <functional>
#include <vector>

#include "azure/client.hpp"
#include "ops/queue/task.hpp"

namespace azlock::ops {

// Gets each task in the order of their names, with the service's time. An error ends the listing and is returned.
using TaskVisitor = std::function<Status(const QueueTask& task, WallTime now)>;
[[nodiscard]] Status for_each_task(azure::BlobClient& client, const QueueName& queue, const azure::Call& call,
                                   const TaskVisitor& visit);
[[nodiscard]] Status for_each_dead_letter(azure::BlobClient& client, const QueueName& queue, const azure::Call& call,
                                          const TaskVisitor& visit);

// All tasks of the queue in this state.
[[nodiscard]] Result<std::vector<QueueTask>> tasks_in_state(azure::BlobClient& client, const QueueName& queue,
                                                            TaskState state, const azure::Call& call);

}  // namespace azlock::ops
