#include "ops/queue/put.hpp"

#include <vector>

#include "azure/refusals.hpp"
#include "base/digest.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "base/worker_pool.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

Result<std::string> md5_of(const http::Body& body) {
    Md5 digest;
    std::vector<std::byte> piece(kPiece);
    for (std::uint64_t at = 0; at < body.size();) {
        const auto got = body.read_at(at, piece);
        if (!got) return fail(got.error());
        if (*got == 0) return fail(ErrorCode::data, "the content became shorter while it was read");
        digest.update(std::span(piece).first(*got));
        at += *got;
    }
    return base64_encode(digest.finish());
}

Error may_be_finished(Error failure, const std::string& id) {
    failure.code = ErrorCode::unavailable;
    failure.may_have_applied = true;
    failure.message = "the answer to the put of task " + printable(id) +
                      " was lost and the task does not exist: it was not put, or it is finished already";
    failure.hint = "if its effect is missing, put it again";
    return failure;
}

}  // namespace

Result<bool> put_task(const QueueClients& clients, const QueueName& queue, const NewTask& task,
                      const std::shared_ptr<const http::Body>& content, const http::RetryPolicy& retry,
                      const azure::Call& call) {
    Clock& clock = clients.single.clock();
    const auto md5 = md5_of(*content);
    if (!md5) return fail(md5.error());
    QueueTask fields;
    fields.key = task.key;
    fields.put = clock.wall();
    fields.due = task.due;
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    options.checksum = {azure::Checksum::Kind::md5, *md5};
    options.metadata = with_task_fields(task.metadata, fields);
    options.conditions.if_none_match = "*";
    const azure::BlobAddress blob = queue.task(task.priority, task.id);
    for (int attempt = 1;; ++attempt) {
        const auto put = clients.single.put_blob(blob, content, options, call);
        if (put) return true;
        const Error& error = put.error();
        if (!error.may_have_applied) {
            // If the blob has a lease, some services answer 412 LeaseIdMissing.
            if (error.service_code == "BlobAlreadyExists" || error.service_code == "LeaseIdMissing") return false;
            if (!error.retryable || attempt >= retry.max_attempts) return fail(error);
            const auto wait = http::backoff(retry, attempt, std::nullopt, clients.single.random());
            if (!clock.wait_until(clock.after(wait), call.stop)) {
                return fail(ErrorCode::cancelled, "stopped by a signal; the task was not put");
            }
            continue;
        }
        if (error.code == ErrorCode::cancelled) return fail(error);
        const auto head = clients.many.get_properties(blob, {}, call);
        if (head) {
            const auto found = read_task(queue, blob.blob, head->properties);
            return found && found->key == task.key;
        }
        return fail(may_be_finished(error, task.id));
    }
}

Result<QueueTask> find_task(azure::BlobClient& client, const QueueName& queue, const std::string& id,
                            const azure::Call& call) {
    constexpr std::size_t kPriorities = kLeastUrgent + 1;
    std::vector<std::optional<QueueTask>> found(kPriorities);
    auto looked = run_parallel(kPriorities / 2, kPriorities, call.stop, [&](std::size_t i, std::stop_token stop) {
        const azure::BlobAddress blob = queue.task(static_cast<int>(i), id);
        const auto head = client.get_properties(blob, {}, {call.deadline, std::move(stop)});
        if (head) {
            found[i] = read_task(queue, blob.blob, head->properties);
        } else if (head.error().code != ErrorCode::not_found || azure::is_missing_container(head.error())) {
            return Status(fail(head.error()));
        }
        return Status();
    });
    if (!looked) return fail(looked.error());
    for (auto& task : found) {
        if (task) return std::move(*task);
    }
    return fail(ErrorCode::not_found,
                "there is no task " + printable(id) + " in the queue " + printable(queue.to_string()),
                "it is finished, or it is among the dead letters: azlock queue list --dead");
}

Result<QueueTask> find_dead_letter(azure::BlobClient& client, const QueueName& queue, const std::string& id,
                                   const azure::Call& call) {
    const azure::BlobAddress blob = queue.dead_letter(id);
    const auto head = client.get_properties(blob, {}, call);
    if (head) {
        if (auto found = read_dead_letter(queue, blob.blob, head->properties)) return std::move(*found);
    } else if (head.error().code != ErrorCode::not_found || azure::is_missing_container(head.error())) {
        return fail(head.error());
    }
    return fail(ErrorCode::not_found,
                "there is no dead letter " + printable(id) + " of the queue " + printable(queue.to_string()));
}

Result<std::chrono::nanoseconds> service_clock_ahead(azure::BlobClient& client, const QueueName& queue,
                                                     const azure::Call& call) {
    azure::ListOptions options;
    options.prefix = queue.tasks();
    options.max_results = 1;
    const auto page = client.list_blobs(queue.container, options, call);
    if (!page) return fail(page.error());
    const auto date = parse_http_date(page->date);
    if (!date) return fail(ErrorCode::unavailable, "the service's answer has no date that can be read");
    return *date - client.clock().wall();
}

}  // namespace azlock::ops
