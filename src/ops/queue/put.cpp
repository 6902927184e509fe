#include "ops/queue/put.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/queue/remains.hpp"
#include "ops/write/block_digest.hpp"
#include "ops/write/staged_only.hpp"

namespace azlock::ops {
namespace {

constexpr int kMaxCleared = 5;

Error lost_answer(Error failure, const std::string& id, const std::string& what_follows) {
    failure.code = ErrorCode::unavailable;
    failure.may_have_applied = true;
    failure.message = "the answer to the put of task " + printable(id) + " was lost and " + what_follows;
    return failure;
}

// `instead`: what has the task's name now.
Error may_be_finished(const Error& failure, const std::string& id, const char* instead) {
    Error error = lost_answer(failure, id, std::string(instead) + ": it was not put, or it is finished already");
    error.hint = "if its effect is missing, put it again";
    return error;
}

// azlock could not look at the task's name either.
Error may_be_put(const Error& failure, const NewTask& task, const Error& look) {
    const std::string id = printable(task.id);
    Error error = lost_answer(failure, task.id,
                              "azlock could not look for it: nobody can tell if it was put (" + look.message + ")");
    error.hint = "look with 'azlock queue show'; a repeat puts a second task, unless it has --id " + id +
                 " and this one is still in the queue";
    if (task.arriving) error.hint.clear();
    if (look.code == ErrorCode::cancelled) error.code = ErrorCode::cancelled;
    return error;
}

// The blob was there before a request that was sent `ago`, so it has refused that request. Both times count whole
// seconds.
bool was_there_before(const azure::BlobClient::HeadResult& head, std::chrono::nanoseconds ago) {
    const auto now = parse_http_date(head.date);
    auto created = parse_http_date(head.properties.creation_time);
    if (!created) created = parse_http_date(head.properties.last_modified);
    return now && created && *created + std::chrono::seconds(2) < *now - ago;
}

}  // namespace

Result<std::optional<WrittenTask>> put_task(const Queue& queue, const NewTask& task,
                                            const std::shared_ptr<const http::Body>& content, const azure::Call& call) {
    Clock& clock = queue.single.clock();
    const auto digest = digest_block(*content, HashKind::xxh3, azure::Checksum::Kind::md5);
    if (!digest) return fail(digest.error());
    QueueTask fields;
    fields.key = task.key;
    fields.put = clock.wall();
    fields.due = task.due;
    if (task.arriving) fields.moving = Moving::arriving;
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    options.checksum = digest->checksum;
    options.metadata = with_task_fields(task.metadata, fields);
    options.conditions.if_none_match = "*";
    const azure::BlobAddress blob = queue.name.task(task.priority, task.id);
    int cleared = 0;
    for (int attempt = 1;; ++attempt) {
        const BootTime sent = clock.now();
        const auto put = queue.single.put_blob(blob, content, options, call);
        if (put) return WrittenTask{put->etag, options.metadata};
        const Error& error = put.error();
        if (!error.may_have_applied) {
            // If the blob has a lease, some services answer 412 LeaseIdMissing.
            if (error.service_code == "BlobAlreadyExists" || error.service_code == "LeaseIdMissing") {
                const auto free = make_way(queue, blob, call);
                if (!free) return fail(free.error());
                if (!*free) return std::nullopt;
                if (++cleared < kMaxCleared) continue;
                if (has_staged_blocks(queue.many, blob, call)) return fail(only_staged(blob, "the task"));
            }
        } else {
            if (error.code == ErrorCode::cancelled) return fail(error);
            const auto head = queue.many.get_properties(blob, {}, call);
            if (head) {
                const auto found = read_task(queue.name, blob.blob, head->properties);
                if (found && found->key == task.key) return WrittenTask{found->etag, found->metadata};
                if (!was_there_before(*head, clock.now() - sent)) {
                    return fail(may_be_finished(error, task.id, "another blob has its name"));
                }
                const auto free = make_way(queue, blob, call);
                if (!free) return fail(free.error());
                if (!*free) return std::nullopt;
            } else if (!azure::is_missing(head.error())) {
                return fail(may_be_put(error, task, head.error()));
            } else if (!task.arriving || !azure::is_missing_blob(head.error())) {
                return fail(may_be_finished(error, task.id, "the task does not exist"));
            }
        }
        if (!error.retryable || attempt >= queue.retry.max_attempts) return fail(error);
        const auto wait = http::backoff(queue.retry, attempt, std::nullopt, queue.single.random());
        if (!clock.wait_until(std::min(clock.after(wait), call.deadline), call.stop)) {
            return fail(ErrorCode::cancelled, "stopped by a signal; the task was not put");
        }
        if (clock.now() >= call.deadline) return fail(error);
    }
}

}  // namespace azlock::ops
