#include "ops/queue/operator.hpp"

#include "azure/metadata.hpp"
#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/queue/find.hpp"
#include "ops/queue/finish.hpp"
#include "ops/queue/move.hpp"
#include "ops/queue/remains.hpp"
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

// What an action has done. `rest`: what it could not do besides.
struct Change {
    bool done = true;
    std::optional<Error> rest = {};
};

Result<Change> delete_task(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    DeleteOptions options;
    options.conditions.if_match = task.etag;
    const auto deleted = delete_blob(queue.many, task.blob, options, call);
    if (deleted) return Change{};
    if (deleted.error().may_have_applied) {
        Error unknown = deleted.error();
        unknown.hint = "look at " + name_of(task) + " before you delete it again: azlock queue show";
        return fail(std::move(unknown));
    }
    return fail(explained(deleted.error(), task));
}

Result<Change> make_ready(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    if (!task.due) return Change{};
    QueueTask now = task;
    now.due.reset();
    azure::Conditions as_seen;
    as_seen.if_match = task.etag;
    const auto written = queue.many.set_metadata(task.blob, with_task_fields(task.metadata, now), as_seen, call);
    if (written) return Change{};
    if (written.error().may_have_applied) {
        const auto head = queue.many.get_properties(task.blob, {}, call);
        if (head && !azure::find_metadata(head->properties.metadata, "azl_task_due")) return Change{};
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

constexpr std::chrono::seconds kReviveLease{60};

// Why the dead letter could not be leased.
Error not_leased(const Queue& queue, const QueueTask& dead, const azure::Call& call) {
    const std::string name = "the dead letter " + printable(dead.id);
    const auto head = queue.many.get_properties(dead.blob, {}, call);
    if (!head && !azure::is_missing_blob(head.error())) return head.error();
    if (!head) {
        return make_error(ErrorCode::not_found, name + " is gone",
                          "somebody else has put it back or deleted it: azlock queue list");
    }
    if (head->properties.lease.state == "leased") {
        return make_error(ErrorCode::busy, name + " is being put back by somebody else", "run the command again");
    }
    return make_error(ErrorCode::precondition, name + " has changed since azlock read it", "run the command again");
}

Result<Claim> lease(const Queue& queue, const Claimer& claimer, const QueueTask& dead, const azure::Call& call) {
    Clock& clock = queue.single.clock();
    const std::string id = queue.single.random().uuid();
    for (int attempt = 1;; ++attempt) {
        auto claim = claimer.lease(dead, id, call);
        if (claim && *claim) return std::move(**claim);
        if (claim) return fail(not_leased(queue, dead, call));
        if (!claim.error().retryable || attempt >= queue.retry.max_attempts) return fail(claim.error());
        const auto wait = http::backoff(queue.retry, attempt, std::nullopt, queue.single.random());
        if (!clock.wait_until(clock.after(wait), call.stop)) return fail(stopped_by_signal());
    }
}

// A blob that azlock did not make gets a key, by which its copy is known.
Status give_key(const Queue& queue, Claim& claim, const azure::Call& call) {
    if (!claim.task.key.empty()) return {};
    claim.task.key = new_task_key(queue.many.random());
    claim.task.metadata = with_task_fields(claim.task.metadata, claim.task);
    const auto written = queue.many.set_metadata(claim.task.blob, claim.task.metadata, claim.conditions(), call);
    if (!written) return fail(written.error());
    return {};
}

Result<Finished> move_back(const Queue& queue, const Claimer& claimer, Claim& claim, const azure::Call& call) {
    if (claim.task.moving != Moving::left) {
        const Status content = claimer.read_content(claim, call);
        if (!content && content.error().code != ErrorCode::io) return fail(content.error());
        if (auto ok = give_key(queue, claim, call); !ok) return fail(ok.error());
        if (auto ok = claimer.refresh(claim, call); !ok) return fail(ok.error());
    }
    QueueTask fresh;
    fresh.key = claim.task.key;
    fresh.attempts = fresh.forgiven = claim.task.attempts;
    fresh.put = queue.many.clock().wall();
    return move_task(queue, claim, with_task_fields(claim.task.metadata, fresh));
}

// It counts no more, but its blob stays.
Error undeleted(const QueueTask& dead, Error refusal) {
    refusal.hint = "remove the snapshots or the policy; then 'azlock queue retry' deletes it";
    refusal.message = name_of(dead) + " was put back, but the service refuses to delete its blob: " + refusal.message;
    return refusal;
}

// Makes the dead letter a task again with its content, priority and metadata (move.hpp). Its attempts go on counting,
// but none counts as a failure. If an earlier call did a part of this, this one does the rest; the task is put once.
// Not done: an earlier call had put it back, and the task has ended since; what was left is deleted. Errors: not_found
// (it is gone), busy (somebody else is putting it back), precondition (it has changed, another task has its id, or its
// content cannot be read), those of the requests.
Result<Change> revive_task(const Queue& queue, const QueueTask& dead, const azure::Call& call) {
    if (dead.moving == Moving::left) {
        const auto task = find_on_other_side(queue, dead, call);
        if (!task) return fail(task.error());
        if (!*task || (*task)->moving != Moving::arriving) {
            const auto deleted = delete_remains(queue, dead, call);
            if (!deleted && deleted.error().code != ErrorCode::precondition) return fail(deleted.error());
            if (!deleted) return Change{task->has_value(), undeleted(dead, deleted.error())};
            return Change{task->has_value()};
        }
    }
    const auto timing = make_lock_timing(kReviveLease, {});
    if (!timing) return fail(timing.error());
    const Claimer claimer(queue, *timing);
    auto claim = lease(queue, claimer, dead, call);
    if (!claim) return fail(claim.error());
    const auto moved = move_back(queue, claimer, *claim, call);
    if (moved && *moved == Finished::done) return Change{};
    claimer.release(*claim);
    if (!moved && may_not_delete(*claim, moved.error())) return Change{true, undeleted(dead, moved.error())};
    if (!moved) return fail(moved.error());
    Error error = make_error(ErrorCode::unavailable,
                             *moved == Finished::lost
                                 ? "azlock lost the lease of the dead letter " + printable(dead.id)
                                 : "the service did not answer while azlock put " + printable(dead.id) + " back",
                             "run the command again: it finishes what was begun");
    error.may_have_applied = true;
    return fail(error);
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
        const auto changed = options.dry_run ? Result<Change>(Change{}) : act(queue, task, call);
        if (!changed) note(changed.error());
        if (!changed) return {};
        if (changed->rest) note(*changed->rest);
        if (changed->done) return report.changed(task);
        if (!changed->rest && !options.ids.empty()) note(no_dead_letter(queue, task.id));
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
