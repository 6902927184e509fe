// What operators do to tasks that nobody runs: bring a dead one back, begin a delayed one now, take one out.
#pragma once

#include "ops/queue/put.hpp"

namespace azlock::ops {

// Puts a dead letter back as a new task with its content, its priority and no attempts, then deletes it. One that was
// put back before and not deleted is only deleted. Errors: precondition, where another task has its id.
[[nodiscard]] Status revive(const QueueClients& clients, const QueueName& queue, const QueueTask& dead,
                            const http::RetryPolicy& retry, const azure::Call& call);

// Takes the due time away. Errors: busy (it runs), precondition (it has changed).
[[nodiscard]] Status make_ready(azure::BlobClient& client, const QueueTask& task, const azure::Call& call);

// Errors: busy (it runs), precondition (it has changed).
[[nodiscard]] Status delete_task(azure::BlobClient& client, const QueueTask& task, const azure::Call& call);

}  // namespace azlock::ops
