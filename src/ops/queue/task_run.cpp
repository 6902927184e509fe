#include "ops/queue/task_run.hpp"

#include <atomic>
#include <thread>

#include "azure/metadata.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/keep.hpp"
#include "os/error_tail.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = SessionOutcome::Kind;

constexpr int kExitBury = 65;
constexpr int kExitLater = 75;
constexpr std::size_t kErrorTail = 3000;
constexpr std::uint64_t kUnknownSize = UINT64_MAX;

}  // namespace

std::string_view to_string(TaskEnd::Kind kind) {
    switch (kind) {
        case TaskEnd::Kind::missed: return "missed";
        case TaskEnd::Kind::done: return "done";
        case TaskEnd::Kind::given_back: return "given_back";
        case TaskEnd::Kind::dead: return "dead";
        case TaskEnd::Kind::lost: return "lost";
        case TaskEnd::Kind::unknown: return "unknown";
    }
    return "?";
}

// The result of the command.
struct TaskRun::Ran {
    SessionOutcome outcome;
    int code = 0;  // of the command, if it ended
    std::string error_tail;
    std::shared_ptr<ContentFile> output;  // with --output-to
};

Result<std::optional<Claim>> TaskRun::claim(const QueueTask& listed, const azure::Call& call) {
    return claimer_.lease(listed, call);
}

TaskEnd TaskRun::run(Claim claim, const azure::Call& call) {
    if (auto ok = claimer_.read_content(claim, call); !ok) return before_start(claim, ok.error());
    if (claim.task.failures() >= plan_.max_attempts) {
        // The worker of the last attempt did not finish it.
        if (claim.task.why.empty()) claim.task.why = "in the last attempt the worker died or lost the task";
        return bury(claim, {});
    }
    claim.task.why.clear();
    if (auto ok = claimer_.begin_attempt(claim, plan_.owner, call); !ok) return before_start(claim, ok.error());
    if (auto ok = claimer_.refresh(claim, call); !ok) return before_start(claim, ok.error());
    auto ran = run_command(claim);
    if (!ran) {
        TaskEnd end = put_back(claim, false, std::nullopt);
        end.fatal = WorkerFailure{ran.error()};
        return end;
    }
    TaskEnd end = after_session(claim, *ran);
    end.attempt = claim.task.attempts;
    return end;
}

TaskEnd TaskRun::before_start(Claim& claim, const Error& error) {
    if (error.code != ErrorCode::precondition) claimer_.release(claim);
    TaskEnd end;
    end.kind = TaskEnd::Kind::lost;
    if (error.code != ErrorCode::precondition && error.code != ErrorCode::cancelled &&
        error.code != ErrorCode::unavailable) {
        end.fatal = WorkerFailure{error};
    } else if (error.code != ErrorCode::cancelled) {
        tell(claim, "not started: " + error.message);
    }
    return end;
}

Result<TaskRun::Ran> TaskRun::run_command(Claim& claim) {
    Ran ran;
    auto input = claim.content->reader();
    if (!input) return fail(input.error());
    auto errors = os::ErrorTail::start(kErrorTail);
    if (!errors) return fail(errors.error());
    if (plan_.output_client != nullptr) {
        auto file = ContentFile::create(kUnknownSize);
        if (!file) return fail(file.error());
        ran.output = std::move(*file);
    }
    std::atomic<BootTime> term_at{plan_.timing.term_at(claim.held.acquired.boot)};
    SessionOptions session;
    session.timing = plan_.timing;
    session.orphans = plan_.orphans;
    session.run_timeout = plan_.run_timeout;
    session.environment_changes = {"AZLOCK_TASK_ID=" + claim.task.id,
                                   "AZLOCK_ATTEMPT=" + std::to_string(claim.task.attempts),
                                   "AZLOCK_LEASE_ID=" + claim.held.lease_id};
    session.streams.fds = {input->get(), ran.output ? ran.output->descriptor() : -1, (*errors)->descriptor()};
    session.kept = "the task " + printable(claim.task.id);
    session.tell = tell_;
    session.on_term_point = [&](BootTime at) { term_at = at; };
    session.on_started = [](pid_t) {};
    session.rewrite_record = [](std::stop_token) {};
    ran.outcome = run_session(guard_, signals_, plan_.clients.single, &claim.held, session);
    claim.held.acquired.boot = term_at.load() - (plan_.timing.term_at({}) - BootTime{});
    ran.error_tail = (*errors)->finish();
    ran.code = ran.outcome.kind == Outcome::timed_out ? os::kExitTimedOut
                                                      : os::exit_code_of(ran.outcome.wait_status.value_or(0));
    return ran;
}

TaskEnd TaskRun::after_session(Claim& claim, const Ran& ran) {
    TaskEnd end;
    if (ran.outcome.kind == Outcome::not_started) {
        end = not_started(claim, ran);
    } else if (!ran.outcome.nothing_left) {
        end.kind = TaskEnd::Kind::lost;
        end.fatal = WorkerFailure{
            make_error(ErrorCode::busy, "processes of the command of task " + printable(claim.task.id) +
                                            " are left that cannot be ended; the task's lease ends by itself")};
    } else if (ran.outcome.kind == Outcome::lost) {
        // The lease may still be ours. After its release nobody has to wait for its end.
        claimer_.release(claim);
        end.kind = TaskEnd::Kind::lost;
    } else {
        end = finish(claim, ran);
        end.exit_code = ran.code;
    }
    if (guard_.gone() && !end.fatal) {
        end.fatal = WorkerFailure{make_error(ErrorCode::precondition, "a guard was killed; this worker cannot go on")};
        end.fatal->guard_gone = true;
    }
    return end;
}

TaskEnd TaskRun::not_started(Claim& claim, const Ran& ran) {
    TaskEnd end = put_back(claim, false, std::nullopt);
    if (ran.outcome.signal != 0) return end;
    end.fatal = WorkerFailure{
        make_error(ErrorCode::input_missing, "cannot run '" + printable(plan_.command) + "': " + ran.outcome.why),
        os::start_failure(ran.outcome.at_exec, ran.outcome.error)};
    return end;
}

TaskEnd TaskRun::finish(Claim& claim, const Ran& ran) {
    claim.task.exit_code = ran.code;
    if (ran.code == 0) {
        if (auto ok = upload_output(claim, ran); !ok) {
            claim.task.why = "its output could not be uploaded: " + ok.error().message;
            tell(claim, claim.task.why);
            return claim.task.failures() >= plan_.max_attempts ? bury(claim, ran.error_tail)
                                                               : put_back(claim, true, std::nullopt);
        }
        return end_of(finisher_.finish(claim), TaskEnd::Kind::done);
    }
    claim.task.why = ran.outcome.kind == Outcome::timed_out ? "--run-timeout" : os::describe_exit_code(ran.code);
    // The worker ended the command itself, which says nothing about the task.
    if (signals_.received() != 0) return put_back(claim, false, std::nullopt);
    if (ran.code == kExitLater) {
        const seconds delay = retry_delay(claim.task.deferred + 1, plan_.clients.many.random());
        tell(claim, "later (75), in " + format_duration(delay));
        return put_back(claim, false, delay);
    }
    const bool dies = ran.code == kExitBury || claim.task.failures() >= plan_.max_attempts;
    tell(claim, claim.task.why + (dies ? "; it goes to the dead letters" : "; it is given back"));
    return dies ? bury(claim, ran.error_tail) : put_back(claim, true, std::nullopt);
}

Status TaskRun::upload_output(Claim& claim, const Ran& ran) {
    if (!ran.output) return {};
    const auto body = ran.output->body();
    if (!body) return fail(body.error());
    const azure::BlobAddress blob{plan_.output.container,
                                  plan_.output.blob + "/" + claim.task.id + "." + std::to_string(claim.task.attempts),
                                  {}};
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    options.metadata[kTaskClaimName] = claim.task.claim;
    options.conditions.if_none_match = "*";
    // Keeps the lease during the upload, however long that takes.
    std::stop_source lost;
    KeepOptions keep;
    keep.lease_id = claim.held.lease_id;
    keep.ttl = std::chrono::duration_cast<seconds>(plan_.timing.ttl);
    std::jthread renewal([&](const std::stop_token& stop) {
        const auto kept = keep_lease(plan_.clients.single, claim.task.blob, keep, {kNoDeadline, stop});
        if (!kept || kept->lost) lost.request_stop();
    });
    const azure::Call call{kNoDeadline, lost.get_token()};
    auto put = plan_.output_client->put_blob(blob, *body, options, call);
    if (!put && put.error().http_status == 409) {
        const auto head = plan_.output_client->get_properties(blob, {}, call);
        if (head && azure::find_metadata(head->properties.metadata, kTaskClaimName) == claim.task.claim) put = {};
    }
    renewal.request_stop();
    renewal.join();
    if (!put) return fail(put.error());
    return claimer_.refresh(claim, {});
}

TaskEnd TaskRun::put_back(Claim& claim, bool counts, std::optional<seconds> delay) {
    if (!counts) ++claim.task.deferred;
    claim.task.due.reset();
    if (delay) {
        const Clock& clock = plan_.clients.many.clock();
        // In the service's time, which the acquire's answer tells.
        const auto ahead = claim.held.date ? *claim.held.date - claim.held.acquired.wall : std::chrono::nanoseconds(0);
        claim.task.due = clock.wall() + ahead + *delay;
    }
    return end_of(finisher_.give_back(claim), TaskEnd::Kind::given_back);
}

TaskEnd TaskRun::bury(Claim& claim, const std::string& error_tail) {
    claim.task.error_tail = error_tail;
    claim.task.died = claim.held.date.value_or(plan_.clients.many.clock().wall());
    if (claim.task.key.empty()) claim.task.key = new_task_key(plan_.clients.many.random());
    return end_of(finisher_.bury(claim, plan_.queue), TaskEnd::Kind::dead);
}

TaskEnd TaskRun::end_of(const Result<Finished>& result, TaskEnd::Kind done) const {
    TaskEnd end;
    if (!result) {
        end.kind = TaskEnd::Kind::unknown;
        end.fatal = WorkerFailure{result.error()};
        return end;
    }
    switch (*result) {
        case Finished::done: end.kind = done; break;
        case Finished::lost: end.kind = TaskEnd::Kind::lost; break;
        case Finished::unknown: end.kind = TaskEnd::Kind::unknown; break;
    }
    return end;
}

void TaskRun::tell(const Claim& claim, const std::string& text) const {
    tell_("task " + printable(claim.task.id) + ", attempt " + std::to_string(claim.task.attempts) + ": " + text);
}

}  // namespace azlock::ops
