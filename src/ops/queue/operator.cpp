#include "ops/queue/operator.hpp"

#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/queue/find.hpp"
#include "ops/queue/put.hpp"
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

Status delete_task(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    DeleteOptions options;
    options.conditions.if_match = task.etag;
    const auto deleted = delete_blob(queue.many, task.blob, options, call);
    if (deleted) return {};
    return fail(explained(deleted.error(), task));
}

Status revive(const Queue& queue, const QueueTask& dead, const azure::Call& call) {
    auto file = ContentFile::create(dead.size);
    if (!file) return fail(file.error());
    ContentSink sink(**file);
    azure::Conditions as_seen;
    as_seen.if_match = dead.etag;
    const auto got = queue.many.get_blob(dead.blob, std::nullopt, as_seen, sink, call);
    if (!got) return fail(explained(got.error(), dead));
    const auto body = (*file)->body();
    if (!body) return fail(body.error());
    const std::string key = dead.key.empty() ? new_task_key(queue.many.random()) : dead.key;
    const NewTask task{id_of(dead), dead.priority, dead.metadata, key, std::nullopt};
    const auto put = put_task(queue, task, *body, call);
    if (!put) return fail(put.error());
    if (!*put) {
        const auto present = find_task(queue, task.id, call);
        if (!present) return fail(present.error());
        if (present->key != task.key) {
            return fail(ErrorCode::precondition, "another task now has the id of the dead letter " + printable(dead.id),
                        "wait until that task has ended");
        }
    }
    return delete_task(queue, dead, call);
}

Status make_ready(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    if (!task.due) return {};
    QueueTask now = task;
    now.due.reset();
    azure::Conditions as_seen;
    as_seen.if_match = task.etag;
    const auto written = queue.many.set_metadata(task.blob, with_task_fields(task.metadata, now), as_seen, call);
    if (written) return {};
    if (written.error().may_have_applied) {
        const auto head = queue.many.get_properties(task.blob, {}, call);
        if (head && !head->properties.metadata.contains("azl_task_due")) return {};
    }
    return fail(explained(written.error(), task));
}

}  // namespace

Status change_tasks(const Queue& queue, TaskChange change, const ChangeOptions& options, const azure::Call& call,
                    const ChangeReport& report) {
    const auto act = change == TaskChange::retry ? revive : change == TaskChange::kick ? make_ready : delete_task;
    const bool dead = change == TaskChange::retry || (change == TaskChange::remove && options.dead);
    std::optional<Error> failed;
    std::optional<Error> missing;
    const auto change_one = [&](const QueueTask& task) -> Status {
        if (call.stop.stop_requested()) return fail(stopped_by_signal());
        const auto changed = options.dry_run ? Status() : act(queue, task, call);
        if (changed) return report.changed(task);
        if (failed) report.failed(changed.error());
        if (!failed) failed = changed.error();
        return {};
    };
    for (const std::string& id : options.ids) {
        const auto task = (dead ? find_dead_letter : find_task)(queue, id, call);
        if (!task) {
            if (task.error().code != ErrorCode::not_found) return fail(task.error());
            if (!missing) missing = task.error();
        } else if (auto ok = change_one(*task); !ok) {
            return ok;
        }
    }
    if (options.ids.empty()) {
        const TaskState state = change == TaskChange::kick ? TaskState::delayed : TaskState::dead;
        const auto tasks = list_tasks(queue, {false, std::string(to_string(state))}, call);
        if (!tasks) return fail(tasks.error());
        for (const QueueTask& task : *tasks) {
            if (auto ok = change_one(task); !ok) return ok;
        }
    }
    if (failed) return fail(*failed);
    if (missing) return fail(*missing);
    return {};
}

}  // namespace azlock::ops
