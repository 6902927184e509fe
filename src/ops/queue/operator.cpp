#include "ops/queue/operator.hpp"

#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/queue/find.hpp"
#include "ops/queue/revive.hpp"
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

Status delete_task(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    if (task.moving == Moving::left) {
        return fail(ErrorCode::precondition,
                    task.dead ? "the dead letter " + printable(task.id) + " is half put back"
                              : "the task " + printable(task.id) + " is on its way to the dead letters",
                    task.dead ? "'azlock queue retry' finishes that" : "the next worker finishes that");
    }
    DeleteOptions options;
    options.conditions.if_match = task.etag;
    const auto deleted = delete_blob(queue.many, task.blob, options, call);
    if (deleted) return {};
    return fail(explained(deleted.error(), task));
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
    const auto act = change == TaskChange::retry ? revive_task : change == TaskChange::kick ? make_ready : delete_task;
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
        const auto tasks = list_tasks(queue, {false, std::string(to_string(state)), change == TaskChange::retry}, call);
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
