#include "ops/queue/operator.hpp"

#include "azure/metadata.hpp"
#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/queue/find.hpp"
#include "ops/queue/revive.hpp"
#include "ops/write/delete_blob.hpp"

namespace azlock::ops {
namespace {

std::string name_of(const QueueTask& task) {
    return (task.dead ? "the dead letter " : "the task ") + printable(task.id);
}

Error explained(Error error, const QueueTask& task) {
    if (istarts_with(error.service_code, "Lease")) {
        error.code = ErrorCode::busy;
        error.message =
            task.dead ? name_of(task) + " is being put back by somebody else"
                      : name_of(task) + " is run by " + describe_owner(read_owner_record(task.metadata), std::nullopt);
        error.hint = task.dead ? "run the command again" : "wait until it has ended, or end it there";
    } else if (azure::is_condition_not_met(error)) {
        error.message = name_of(task) + " has changed since azlock read it";
        error.hint = "run the command again";
    }
    return error;
}

// Tasks are named in one way only, and all tasks of the queue itself cannot be deleted at once.
Status check_choice(TaskChange change, const ChangeOptions& options) {
    if (change == TaskChange::retry) {
        if (options.dead || !options.ids.empty()) return {};
        return fail(ErrorCode::usage, "give IDs of dead letters, or --dead for all of them");
    }
    const bool removes = change == TaskChange::remove;
    if (removes && options.all && !options.dead) {
        return fail(ErrorCode::usage, "--all goes with --dead", "name the tasks of the queue itself by their IDs");
    }
    if (options.ids.empty() == options.all) return {};
    return fail(ErrorCode::usage, std::string("give either IDs or ") + (removes ? "--dead --all" : "--all"));
}

// What the task's state, as it was found, does not allow: also the answer of a dry run.
Status check_change(TaskChange change, const QueueTask& task) {
    if (change == TaskChange::retry) return {};
    if (task.moving == Moving::left) {
        return fail(ErrorCode::precondition,
                    name_of(task) + (task.dead ? " is half put back" : " is on its way to the dead letters"),
                    task.dead ? "'azlock queue retry' finishes that" : "the next worker finishes that");
    }
    if (!task.runs()) return {};
    Error leased;
    leased.service_code = "LeaseIdMissing";
    return fail(explained(std::move(leased), task));
}

Result<bool> delete_task(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    DeleteOptions options;
    options.conditions.if_match = task.etag;
    const auto deleted = delete_blob(queue.many, task.blob, options, call);
    if (deleted) return true;
    return fail(explained(deleted.error(), task));
}

Result<bool> make_ready(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    if (!task.due) return true;
    QueueTask now = task;
    now.due.reset();
    azure::Conditions as_seen;
    as_seen.if_match = task.etag;
    const auto written = queue.many.set_metadata(task.blob, with_task_fields(task.metadata, now), as_seen, call);
    if (written) return true;
    if (written.error().may_have_applied) {
        const auto head = queue.many.get_properties(task.blob, {}, call);
        if (head && !azure::find_metadata(head->properties.metadata, "azl_task_due")) return true;
        if (azure::is_condition_not_met(written.error())) {
            Error lost = written.error();
            lost.code = ErrorCode::unavailable;
            lost.message =
                name_of(task) + " may have been made ready, but the answer was lost, and it has changed since";
            lost.hint = "run the command again";
            return fail(std::move(lost));
        }
    }
    return fail(explained(written.error(), task));
}

}  // namespace

Status change_tasks(const Queue& queue, TaskChange change, const ChangeOptions& options, const azure::Call& call,
                    const ChangeReport& report) {
    if (auto ok = check_choice(change, options); !ok) return ok;
    const auto act = change == TaskChange::retry ? revive_task : change == TaskChange::kick ? make_ready : delete_task;
    const bool dead = change == TaskChange::retry || (change == TaskChange::remove && options.dead);
    std::optional<Error> result;
    const auto note = [&](Error error) {
        const bool first_change = result && result->code == ErrorCode::not_found && error.code != ErrorCode::not_found;
        if (first_change) std::swap(*result, error);
        if (result) report.failed(error);
        if (!result) result = std::move(error);
    };
    const auto end_with = [&](const Error& error) {
        if (result) report.failed(*result);
        return fail(error);
    };
    const auto change_one = [&](const QueueTask& task) -> Status {
        if (call.stop.stop_requested()) return end_with(stopped_by_signal());
        if (const Status ok = check_change(change, task); !ok) {
            note(ok.error());
            return {};
        }
        const auto changed = options.dry_run ? Result<bool>(true) : act(queue, task, call);
        if (changed && *changed) return report.changed(task);
        if (!changed) note(changed.error());
        if (changed && !options.ids.empty()) note(no_dead_letter(queue, task.id));
        return {};
    };
    const bool clears = change == TaskChange::retry && !options.dry_run;
    const auto find = clears ? find_dead_or_left : dead ? find_dead_letter : find_task;
    for (const std::string& id : options.ids) {
        const auto task = find(queue, id, call);
        if (!task) {
            if (task.error().code != ErrorCode::not_found || azure::is_missing_container(task.error())) {
                return end_with(task.error());
            }
            note(task.error());
        } else if (auto ok = change_one(*task); !ok) {
            return ok;
        }
    }
    if (options.ids.empty()) {
        const TaskState state = change == TaskChange::kick ? TaskState::delayed : TaskState::dead;
        const auto tasks = list_tasks(queue, {false, std::string(to_string(state)), clears}, call);
        if (!tasks) return fail(tasks.error());
        for (const QueueTask& task : *tasks) {
            if (auto ok = change_one(task); !ok) return ok;
        }
    }
    return result ? Status(fail(*result)) : Status();
}

}  // namespace azlock::ops
