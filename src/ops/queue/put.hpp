// Putting a task into a queue, once.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "http/retry.hpp"
#include "ops/queue/task.hpp"

namespace azlock::ops {

// `many` repeats what fails, `single` sends each request once.
struct QueueClients {
    azure::BlobClient& many;
    azure::BlobClient& single;
};

struct NewTask {
    std::string id;
    int priority = kDefaultPriority;
    azure::Metadata metadata;
    std::string key;  // new for every putting
    std::optional<WallTime> due;
};

// False where a task of this id (with this priority) is there already. It is not repeated once it may have been carried
// out: after a lost answer the blob is looked at, and where it is not there it may have been finished already:
// unavailable with may_have_applied.
[[nodiscard]] Result<bool> put_task(const QueueClients& clients, const QueueName& queue, const NewTask& task,
                                    const std::shared_ptr<const http::Body>& content, const http::RetryPolicy& retry,
                                    const azure::Call& call);

// The task of that id, whatever its priority; the most urgent one of several. Error: not_found.
[[nodiscard]] Result<QueueTask> find_task(azure::BlobClient& client, const QueueName& queue, const std::string& id,
                                          const azure::Call& call);
[[nodiscard]] Result<QueueTask> find_dead_letter(azure::BlobClient& client, const QueueName& queue,
                                                 const std::string& id, const azure::Call& call);

// How far the service's wall clock is ahead of ours (one listing).
[[nodiscard]] Result<std::chrono::nanoseconds> service_clock_ahead(azure::BlobClient& client, const QueueName& queue,
                                                                   const azure::Call& call);

}  // namespace azlock::ops
