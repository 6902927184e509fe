// What an operator does with tasks that nobody runs: revives a dead one, makes a delayed one ready, deletes one.
#pragma once

#include "ops/queue/put.hpp"

namespace azlock::ops {

// Puts a dead letter back as a new task with its content and priority and with no attempts, then deletes the dead
// letter. If an earlier call put it back but did not delete it, it is only deleted. Errors: precondition (another task
// has its id).
[[nodiscard]] Status revive(const QueueClients& clients, const QueueName& queue, const QueueTask& dead,
                            const http::RetryPolicy& retry, const azure::Call& call);

// Removes the due time. Errors: busy (it runs), precondition (it has changed).
[[nodiscard]] Status make_ready(azure::BlobClient& client, const QueueTask& task, const azure::Call& call);

// Errors: busy (it runs), precondition (it has changed).
[[nodiscard]] Status delete_task(azure::BlobClient& client, const QueueTask& task, const azure::Call& call);

}  // namespace azlock::ops
