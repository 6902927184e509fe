// Puts a task into a queue, at most once, and finds the tasks of a queue.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "http/retry.hpp"
#include "ops/queue/task.hpp"

namespace azlock::ops {

// `many` retries; `single` sends each request once.
struct QueueClients {
    azure::BlobClient& many;
    azure::BlobClient& single;
};

struct NewTask {
    std::string id;
    int priority = kDefaultPriority;
    azure::Metadata metadata;
    std::string key;  // a new one for every put
    std::optional<WallTime> due;
};

// False: a task with this id and priority exists already. The put is not sent again once it may have been carried out.
// After a lost answer azlock looks at the blob. If it is missing, the task may be finished already: the error is
// unavailable with may_have_applied.
[[nodiscard]] Result<bool> put_task(const QueueClients& clients, const QueueName& queue, const NewTask& task,
                                    const std::shared_ptr<const http::Body>& content, const http::RetryPolicy& retry,
                                    const azure::Call& call);

// The task with that id, of any priority; if there are several, the most urgent one. Error: not_found.
[[nodiscard]] Result<QueueTask> find_task(azure::BlobClient& client, const QueueName& queue, const std::string& id,
                                          const azure::Call& call);
[[nodiscard]] Result<QueueTask> find_dead_letter(azure::BlobClient& client, const QueueName& queue,
                                                 const std::string& id, const azure::Call& call);

// How far the service's wall clock is ahead of ours (one listing).
[[nodiscard]] Result<std::chrono::nanoseconds> service_clock_ahead(azure::BlobClient& client, const QueueName& queue,
                                                                   const azure::Call& call);

}  // namespace azlock::ops
