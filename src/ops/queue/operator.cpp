#include "ops/queue/operator.hpp"

#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/read/content_file.hpp"
#include "ops/write/delete_blob.hpp"

namespace azlock::ops {
namespace {

Error explained(Error error, const QueueTask& task) {
    if (istarts_with(error.service_code, "Lease")) {
        error.code = ErrorCode::busy;
        error.message = "the task " + printable(task.id) + " is run by " +
                        describe_owner(read_owner_record(task.metadata), std::nullopt);
        error.hint = "wait until it has ended, or end it there";
    } else if (azure::is_condition_not_met(error)) {
        error.message = "the task " + printable(task.id) + " has changed since azlock read it";
        error.hint = "run the command again";
    }
    return error;
}

// The name of a dead letter may be ID.KEY (Finisher::bury).
std::string id_of(const QueueTask& dead) {
    const std::string suffix = "." + dead.key;
    return dead.key.empty() || !dead.id.ends_with(suffix) ? dead.id : dead.id.substr(0, dead.id.size() - suffix.size());
}

}  // namespace

Status delete_task(azure::BlobClient& client, const QueueTask& task, const azure::Call& call) {
    DeleteOptions options;
    options.conditions.if_match = task.etag;
    auto deleted = delete_blob(client, task.blob, options, call);
    if (deleted) return {};
    return fail(explained(deleted.error(), task));
}

Status revive(const QueueClients& clients, const QueueName& queue, const QueueTask& dead,
              const http::RetryPolicy& retry, const azure::Call& call) {
    auto file = ContentFile::create(dead.size);
    if (!file) return fail(file.error());
    ContentSink sink(**file);
    azure::Conditions as_seen;
    as_seen.if_match = dead.etag;
    const auto got = clients.many.get_blob(dead.blob, std::nullopt, as_seen, sink, call);
    if (!got) return fail(explained(got.error(), dead));
    const auto body = (*file)->body();
    if (!body) return fail(body.error());
    NewTask task;
    task.id = id_of(dead);
    task.priority = dead.priority;
    task.metadata = dead.metadata;
    task.key = dead.key.empty() ? new_task_key(clients.many.random()) : dead.key;
    const auto put = put_task(clients, queue, task, *body, retry, call);
    if (!put) return fail(put.error());
    if (!*put) {
        const auto present = find_task(clients.many, queue, task.id, call);
        if (!present) return fail(present.error());
        if (present->key != task.key) {
            return fail(ErrorCode::precondition, "another task now has the id of the dead letter " + printable(dead.id),
                        "wait until that task has ended");
        }
    }
    return delete_task(clients.many, dead, call);
}

Status make_ready(azure::BlobClient& client, const QueueTask& task, const azure::Call& call) {
    QueueTask now = task;
    now.due.reset();
    azure::Conditions as_seen;
    as_seen.if_match = task.etag;
    const auto written = client.set_metadata(task.blob, with_task_fields(task.metadata, now), as_seen, call);
    if (written) return {};
    if (written.error().may_have_applied) {
        const auto head = client.get_properties(task.blob, {}, call);
        if (head && !head->properties.metadata.contains("azl_task_due")) return {};
    }
    return fail(explained(written.error(), task));
}

}  // namespace azlock::ops
