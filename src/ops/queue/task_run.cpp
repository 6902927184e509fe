#include "ops/queue/task_run.hpp"

#include <atomic>
#include <thread>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/keep.hpp"
#include "ops/queue/finish.hpp"
#include "ops/queue/move.hpp"
#include "ops/queue/remains.hpp"
#include "os/error_tail.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using Outcome = SessionOutcome::Kind;

constexpr std::size_t kErrorTail = 3000;

class TaskRun {
  public:
    TaskRun(const WorkPlan& plan, Claim claim, os::Guard& guard, os::SignalSource& signals,
            const std::function<void(const std::string&)>& tell)
        : plan_(plan),
          claim_(std::move(claim)),
          guard_(guard),
          signals_(signals),
          tell_(tell),
          claimer_(plan.queue, plan.timing) {}

    TaskEnd run(const azure::Call& call) {
        if (claim_.task.moving == Moving::left) return finish_burial();
        const Status content = claimer_.read_content(claim_, call);
        const bool kept = content || content.error().code != ErrorCode::io;
        if (!content && kept) return before_start(content.error());
        if (claim_.task.died) return bury();
        if (failed_too_often()) {
            // The worker of the last attempt did not finish it.
            if (claim_.task.why.empty()) claim_.task.why = "in the last attempt the worker died or lost the task";
            return bury();
        }
        before_ = claim_.task;
        claim_.task.why.clear();
        if (auto ok = claimer_.begin_attempt(claim_, plan_.owner, call); !ok) return before_start(ok.error());
        if (auto ok = claimer_.refresh(claim_, call); !ok) return not_begun(ok.error());
        if (!kept) {
            claim_.task.exit_code.reset();
            claim_.task.why = "its content cannot be kept on this machine: " + content.error().message;
            return failed(failed_too_often());
        }
        if (auto ok = run_command(); !ok) return give_up(ok.error());
        TaskEnd end = after_session();
        if (guard_.gone() && !end.fatal) {
            end.fatal = {make_error(ErrorCode::precondition, "a guard was killed; this worker cannot go on")};
            end.fatal->error.lost = true;
        }
        end.attempt = claim_.task.attempts;
        return end;
    }

  private:
    TaskEnd before_start(const Error& error) {
        if (error.code != ErrorCode::busy) claimer_.release(claim_);
        if (error.code == ErrorCode::cancelled) return {TaskEnd::Kind::not_started};
        TaskEnd end{TaskEnd::Kind::not_started};
        end.why = error;
        if (error.code == ErrorCode::precondition) {
            end.kind = TaskEnd::Kind::refused;
        } else if (error.code == ErrorCode::busy || error.code == ErrorCode::unavailable) {
            tell("not started: " + error.message);
        } else {
            end.fatal = WorkerFailure{error};
        }
        return end;
    }

    // The attempt is written, and does not count.
    TaskEnd not_begun(const Error& error) {
        if (error.code == ErrorCode::busy) return before_start(error);
        TaskEnd end = give_up(error);
        if (error.code == ErrorCode::unavailable) tell("not started: " + error.message);
        if (error.code == ErrorCode::unavailable || error.code == ErrorCode::cancelled) end.fatal.reset();
        return end;
    }

    Status run_command() {
        auto input = claim_.content->reader();
        if (!input) return fail(input.error());
        auto errors = os::ErrorTail::start(kErrorTail);
        if (!errors) return fail(errors.error());
        if (plan_.output) {
            auto file = ContentFile::create(UINT64_MAX);
            if (!file) return fail(file.error());
            output_ = std::move(*file);
        }
        std::atomic<BootTime> term_at{plan_.timing.term_at(claim_.held.acquired.boot)};
        SessionOptions session;
        session.timing = plan_.timing;
        session.orphans = plan_.orphans;
        session.run_timeout = plan_.run_timeout;
        session.environment_changes = {"AZLOCK_TASK_ID=" + claim_.task.id,
                                       "AZLOCK_ATTEMPT=" + std::to_string(claim_.task.attempts),
                                       "AZLOCK_LEASE_ID=" + claim_.held.lease_id};
        session.streams.fds = {input->get(), output_ ? output_->descriptor() : -1, (*errors)->descriptor()};
        session.kept = "the " + name();
        session.tell = tell_;
        session.on_term_point = [&](BootTime at) { term_at = at; };
        session.on_started = [](pid_t) {};
        session.rewrite_record = [](const azure::Call&) { return Status(); };
        outcome_ = run_session(guard_, signals_, plan_.queue.single, &claim_.held, session);
        claim_.held.acquired.boot = term_at.load() - (plan_.timing.term_at({}) - BootTime{});
        error_tail_ = (*errors)->finish();
        return {};
    }

    TaskEnd after_session() {
        if (outcome_.kind == Outcome::not_started) {
            TaskEnd end = put_back(Counts::forgiven);
            if (outcome_.signal != 0) return end;
            const std::string command = printable(plan_.owner.command);
            end.fatal = {make_error(ErrorCode::input_missing, "cannot run '" + command + "': " + outcome_.why),
                         os::start_failure(outcome_.at_exec, outcome_.error)};
            return end;
        }
        if (!outcome_.nothing_left) {
            return {TaskEnd::Kind::lost,
                    WorkerFailure{make_error(ErrorCode::busy,
                                             "processes of the command of " + name() +
                                                 " are left that cannot be ended; the task's lease ends by itself")}};
        }
        if (outcome_.kind == Outcome::lost) {
            // The lease may still be ours. After its release nobody has to wait for its end.
            claimer_.release(claim_);
            return {TaskEnd::Kind::lost};
        }
        const int code =
            outcome_.kind == Outcome::timed_out ? os::kExitTimedOut : os::exit_code_of(outcome_.wait_status.value());
        TaskEnd end = after_command(code);
        end.exit_code = code;
        return end;
    }

    TaskEnd after_command(int code) {
        if (code == 0) return finish();
        claim_.task.exit_code = code;
        claim_.task.why = outcome_.kind == Outcome::timed_out ? "--run-timeout" : os::describe_exit_code(code);
        // The worker ended the command itself, which says nothing about the task.
        if (signals_.received() != 0) return put_back(Counts::forgiven);
        if (code == kExitLater) {
            const seconds delay = later_delay(claim_.task.deferred + 1, plan_.queue.many.random());
            tell("later (75), in " + format_duration(delay));
            return put_back(Counts::deferred, delay);
        }
        return failed(code == kExitBury || failed_too_often());
    }

    TaskEnd failed(bool dies) {
        if (dies) {
            tell(claim_.task.why + "; it goes to the dead letters");
            return bury();
        }
        const seconds pause = failure_pause(plan_.retry_delay, claim_.task.failures(), plan_.queue.many.random());
        tell(claim_.task.why + "; it is given back, for the next attempt in " + format_duration(pause));
        return put_back(Counts::failed, pause);
    }

    TaskEnd finish() {
        bool lost = false;
        const Status stored = output_ ? store_output(lost) : Status();
        if (lost) return {TaskEnd::Kind::lost};
        if (stored) {
            const auto finished = finish_task(plan_.queue, claim_);
            if (finished || !may_not_delete(claim_, finished.error())) return end_of(finished, TaskEnd::Kind::done);
            leave_remains(plan_.queue, claim_);
            return undeleted(finished.error(), "its command has succeeded, but the service refuses to delete it");
        }
        Error error = stored.error();
        error.message = "the output of " + name() + " could not be uploaded: " + error.message;
        return give_up(error);
    }

    // Keeps the lease during the upload, however long that takes. `lease_lost`: the upload was ended for that.
    Status store_output(bool& lease_lost) {
        const auto body = output_->body();
        if (!body) return fail(body.error());
        std::stop_source lost;
        KeepOptions keep;
        keep.lease_id = claim_.held.lease_id;
        keep.ttl = std::chrono::duration_cast<seconds>(plan_.timing.ttl);
        std::jthread renewal([&](const std::stop_token& stop) {
            const auto kept = keep_lease(plan_.queue.many, claim_.task.blob, keep, {kNoDeadline, stop});
            if (!stop.stop_requested() && (!kept || kept->lost)) lost.request_stop();
        });
        const Status stored = upload_output(*plan_.output, claim_.task, *body, {kNoDeadline, lost.get_token()});
        renewal.request_stop();
        renewal.join();
        if (!lost.stop_requested()) {
            // It was held until now, and a renew of our own tells until when.
            Clock& clock = plan_.queue.single.clock();
            claim_.held.acquired.boot = clock.now() - plan_.timing.renew_every();
            if (!claimer_.refresh(claim_, {})) lost.request_stop();
        }
        lease_lost = lost.stop_requested();
        return stored;
    }

    // Leaves the task as it was before this attempt, which does not count, and ends the worker.
    TaskEnd give_up(const Error& error) {
        claim_.task.why = before_.why;
        claim_.task.exit_code = before_.exit_code;
        TaskEnd end = put_back(Counts::forgiven);
        end.fatal = WorkerFailure{error};
        return end;
    }

    enum class Counts { failed, deferred, forgiven };
    TaskEnd put_back(Counts counts, std::optional<seconds> delay = {}) {
        if (counts == Counts::deferred) ++claim_.task.deferred;
        if (counts == Counts::forgiven) ++claim_.task.forgiven;
        claim_.task.due.reset();
        if (delay && *delay > seconds(0)) {
            claim_.task.due = service_time() + *delay;
        }
        return end_of(give_back_task(plan_.queue, claim_), TaskEnd::Kind::given_back);
    }

    TaskEnd bury() {
        if (!claim_.task.died) {
            claim_.task.error_tail = error_tail_;
            claim_.task.died = service_time();
        }
        if (claim_.task.key.empty()) claim_.task.key = new_task_key(plan_.queue.many.random());
        const auto buried = bury_task(plan_.queue, claim_);
        if (buried || !may_not_delete(claim_, buried.error())) return end_of(buried, TaskEnd::Kind::dead);
        claimer_.release(claim_);  // whoever finds what is left of it tells of that
        return {TaskEnd::Kind::dead};
    }

    TaskEnd undeleted(const Error& refusal, const std::string& what) {
        claimer_.release(claim_);
        TaskEnd end{TaskEnd::Kind::undeleted};
        end.why = refusal;
        end.why->message = what + ": " + refusal.message;
        end.why->hint = "remove the snapshots or the policy; then the next worker deletes it";
        end.etag = claim_.task.etag;
        return end;
    }

    // By whoever comes first, and without its content.
    TaskEnd finish_burial() {
        const auto letter = find_on_other_side(plan_.queue, claim_.task, {claim_.lease_end(), {}});
        if (!letter) return before_start(letter.error());
        if (*letter && (*letter)->moving == Moving::arriving) return bury();
        const auto deleted = finish_task(plan_.queue, claim_);
        if (deleted || !may_not_delete(claim_, deleted.error())) {
            return end_of(deleted, *letter ? TaskEnd::Kind::dead : TaskEnd::Kind::gone);
        }
        return undeleted(deleted.error(), "it has ended, but the service refuses to delete its blob");
    }

    static TaskEnd end_of(const Result<Finished>& result, TaskEnd::Kind done) {
        if (!result) {
            const bool answered = result.error().http_status != 0 && !result.error().may_have_applied;
            TaskEnd end{answered ? TaskEnd::Kind::refused : TaskEnd::Kind::unknown, WorkerFailure{result.error()}};
            if (answered) end.why = result.error();
            return end;
        }
        switch (*result) {
            case Finished::done: return {done};
            case Finished::lost: return {TaskEnd::Kind::lost};
            case Finished::unknown: break;
        }
        return {TaskEnd::Kind::unknown};
    }

    // Now by the service's clock, which the answer to the acquire told.
    [[nodiscard]] WallTime service_time() const {
        const WallTime acquired = claim_.held.acquired.wall;
        return plan_.queue.many.clock().wall() + (claim_.held.date.value_or(acquired) - acquired);
    }
    [[nodiscard]] bool failed_too_often() const { return claim_.task.failures() >= plan_.max_attempts; }
    [[nodiscard]] std::string name() const { return "task " + printable(claim_.task.id); }
    void tell(const std::string& text) const {
        tell_(name() + ", attempt " + std::to_string(claim_.task.attempts) + ": " + text);
    }

    const WorkPlan& plan_;
    Claim claim_;
    os::Guard& guard_;
    os::SignalSource& signals_;
    const std::function<void(const std::string&)>& tell_;
    Claimer claimer_;

    QueueTask before_;  // as the last attempt left it
    SessionOutcome outcome_;
    std::string error_tail_;
    std::shared_ptr<ContentFile> output_;  // with --output-to
};

}  // namespace

std::string_view to_string(TaskEnd::Kind kind) {
    switch (kind) {
        case TaskEnd::Kind::done: return "done";
        case TaskEnd::Kind::given_back: return "given_back";
        case TaskEnd::Kind::dead: return "dead";
        case TaskEnd::Kind::not_started: return "not_started";
        case TaskEnd::Kind::refused: return "refused";
        case TaskEnd::Kind::undeleted: return "undeleted";
        case TaskEnd::Kind::gone: return "gone";
        case TaskEnd::Kind::lost: return "lost";
        case TaskEnd::Kind::unknown: return "unknown";
    }
    return "?";
}

TaskEnd run_task(const WorkPlan& plan, Claim claim, os::Guard& guard, os::SignalSource& signals,
                 const std::function<void(const std::string&)>& tell, const azure::Call& call) {
    return TaskRun(plan, std::move(claim), guard, signals, tell).run(call);
}

}  // namespace azlock::ops
