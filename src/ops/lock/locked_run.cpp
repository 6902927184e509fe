#include "ops/lock/locked_run.hpp"

#include <algorithm>
#include <utility>

#include "base/error_text.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/shell_quote.hpp"
#include "base/text.hpp"
#include "base/within_limits.hpp"
#include "ops/lease/refusal.hpp"
#include "ops/lease/sas_limits.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kReleaseTime{5};
constexpr seconds kShortReleaseTime{2};
constexpr seconds kPrepareTime{2};
// With the time to give back a lease that an unanswered acquire may have taken: 10 s.
constexpr seconds kNeverWaitTime{8};
constexpr seconds kNestedTime{60};
constexpr const char* kFormerIsSilent = "the former holder has not said that its command has ended";

}  // namespace

LockedRun::LockedRun(LockedRunOptions options, LockedRunParts parts, Keeper keeper)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      keeper_(std::move(keeper)),
      acquirer_(parts_.client, parts_.single, options_.blobs, options_.timing, options_.quarantine),
      status_(waiting()) {}

Result<LockedRun> LockedRun::make(LockedRunOptions options, LockedRunParts parts) {
    auto keeper = Keeper::create();
    if (!keeper) return fail(keeper.error());
    return LockedRun(std::move(options), std::move(parts), std::move(*keeper));
}

LockStatus LockedRun::waiting() const {
    LockStatus out;
    out.name = options_.name;
    out.url = url_of(options_.blobs.first);
    return out;
}

std::string LockedRun::url_of(const azure::BlobAddress& blob) const {
    const azure::Endpoint& endpoint = parts_.client.endpoint();
    return endpoint.origin.to_string() + azure::path_of(endpoint, blob);
}

std::string LockedRun::status_variable() const {
    return options_.status_path.empty() ? "AZLOCK_STATUS_FILE" : "AZLOCK_STATUS_FILE=" + options_.status_path;
}

BootTime LockedRun::lease_end(BootTime term_at) const {
    return term_at - (options_.timing.term_at({}) - BootTime{}) + options_.timing.ttl;
}

LockedRunEnd LockedRun::run(const WaitPlan& plan) {
    LockedRunEnd end = run_once(plan);
    parts_.ended(status_, end);
    const bool begun = status_.held.has_value();
    if (end.kind == LockedRunEnd::Kind::lost && begun && !options_.on_lost.empty()) run_hook();
    return end;
}

LockedRunEnd LockedRun::run_once(const WaitPlan& plan) {
    auto end = within_limits([&]() -> Result<LockedRunEnd> {
        try {
            return run_under_lock(plan);
        } catch (...) {
            give_back();
            throw;
        }
    });
    return end ? std::move(*end) : before_start(end.error());
}

LockedRunEnd LockedRun::run_under_lock(const WaitPlan& plan) {
    lost_at_end_ = false;
    const BootTime begun = clock().now();
    status_ = waiting();
    if (options_.reentrant) {
        std::vector<std::string> urls;
        for (std::uint64_t slot = 0; slot < options_.blobs.slots; ++slot) {
            urls.push_back(url_of(options_.blobs.slot(slot)));
        }
        if (const auto outer = find_outer_lock(urls, parts_.tell)) return run_inside(*outer, plan);
    }
    const Status acquired = acquire(plan);
    status_.waited = std::chrono::duration_cast<milliseconds>(clock().now() - begun);
    if (!acquired) return before_start(acquired.error());
    const HeldLock& held = *held_;
    status_.slot = held.slot;
    status_.url = url_of(held.blob);
    entry_ = {options_.name, status_.url, held.lease_id, "", held.slot, keeper_.address(), options_.blobs.slots};
    // A slot's fence says nothing about the holders of other slots.
    if (options_.blobs.slots == 1) {
        entry_.fence = std::to_string(held.fence);
        status_.fence = held.fence;
    }
    tell_end_of_credential();
    LockedRunEnd end = run_command(&held);
    end.held = true;
    return end;
}

LockedRunEnd LockedRun::run_inside(const OuterLock& outer, const WaitPlan& plan) {
    const HeldEntry& entry = outer.entry;
    if (!outer.said.held) return outer_is_lost(make_error(ErrorCode::precondition, "its azlock says so"));
    azure::Call call = parts_.call;
    const BootTime until = plan.until.value_or(clock().after(plan.never ? kNeverWaitTime : kNestedTime));
    call.deadline = std::min(call.deadline, until);
    const auto renewed = parts_.client.renew_lease(options_.blobs.slot(entry.slot), entry.lease_id, {}, call);
    if (!renewed && is_definitive(renewed.error())) return outer_is_lost(renewed.error());
    if (!renewed) return before_start(renewed.error());
    if (auto same = check_slots(options_.blobs, entry.slots); !same) return before_start(same.error());
    status_.slot = entry.slot;
    status_.url = entry.url;
    status_.fence = parse_u64(entry.fence);
    entry_ = entry;
    return run_command(nullptr);
}

LockedRunEnd LockedRun::outer_is_lost(Error error) {
    error.message = "the outer lock " + printable(options_.name) + " was lost: " + error.message;
    error.lost = true;
    LockedRunEnd end = before_start(std::move(error));
    end.kind = LockedRunEnd::Kind::lost;
    return end;
}

Status LockedRun::acquire(const WaitPlan& plan) {
    if (auto ok = check_lock_permissions(parts_.client.credential()); !ok) return fail(ok.error());
    // The plan bounds all that comes before the start of the command.
    azure::Call call = parts_.call;
    WaitPlan bounded = plan;
    if (plan.never) bounded.until = clock().after(kNeverWaitTime);
    if (bounded.until) call.deadline = std::min(call.deadline, *bounded.until);
    for (;;) {
        auto held = wait_for_lock(acquirer_, bounded, clock(), parts_.client.random(), parts_.tell, call);
        if (!held) return fail(held.error());
        held_ = std::move(*held);
        if (held_->quarantine.count() > 0) {
            const bool too_long = plan.never || clock().after(held_->quarantine) > bounded.until.value_or(kNoDeadline);
            const nanoseconds time = too_long ? nanoseconds(held_->length) : held_->quarantine;
            (void)within_limits([&] { return acquirer_.say_quarantine(*held_, options_.owner, time, call); });
            if (too_long) return fail(in_quarantine(*held_));
        }
        // The time of -n or -w does not count while a new lock waits for its first fence.
        azure::Call preparing = call;
        if (held_->fence_from > clock().now()) {
            preparing.deadline = std::max(call.deadline, held_->fence_from + kPrepareTime);
        }
        Status ready = within_limits([&] { return prepare(*held_, preparing); });
        if (ready) return {};
        give_back();
        if (!is_definitive(ready.error())) return fail(ready.error());
        parts_.tell("the lease was lost before the command started; azlock tries again");
    }
}

// The steps between acquiring the lease and starting the command.
Status LockedRun::prepare(HeldLock& held, const azure::Call& call) {
    if (held.quarantine.count() > 0) {
        parts_.tell(std::string(kFormerIsSilent) + "; azlock waits " + format_duration(held.quarantine) +
                    " until it has ended for sure");
        if (auto ok = acquirer_.sit_out_quarantine(held, call); !ok) return ok;
    }
    if (!clock().wait_until(held.fence_from, call.stop)) return fail(stopped_by_signal());
    options_.owner.since = held.date.value_or(clock().wall());
    const auto recorded = acquirer_.write_record(held, options_.owner, call);
    if (!recorded) return fail(recorded.error());
    held.record_etag = *recorded;
    const BootTime renew_at = held.acquired.boot + options_.timing.renew_every();
    return clock().now() > renew_at ? acquirer_.renew(held, call) : Status();
}

// A credential that ends and cannot be renewed ends the lock, too.
void LockedRun::tell_end_of_credential() {
    const azure::Credential& credential = parts_.client.credential();
    const std::string early = describe_early_end(credential, clock().wall(), options_.run_timeout);
    if (!early.empty()) parts_.tell(early + ": a command that still runs soon after that loses the lock and is ended");
    const auto facts = credential.token_facts();
    if (!facts || !facts->last_renewal) return;
    parts_.tell("the login cannot be renewed after " + format_iso8601(*facts->last_renewal) +
                "; azlock keeps the lock until its last token ends (the present one ends at " +
                format_iso8601(facts->ends) + ")");
}

// No command was started. In the quarantine the lease is not released: the next holder could start without one.
void LockedRun::give_back() {
    const auto held = std::exchange(held_, std::nullopt);
    if (!held || held->quarantine.count() > 0 || command_may_run_) return;
    const LeaseEnd left = leave(*held, {kShortReleaseTime, {}, {}});
    if (left.lost || !left.error) return;
    parts_.tell(describe_not_released(*left.error, held->acquired.boot + held->length - clock().now()));
}

// Under -n, or if the quarantine would last longer than -w. The lease is not released: when it has ended by itself, the
// quarantine has passed, too.
Error LockedRun::in_quarantine(const HeldLock& held) const {
    Error error = make_error(ErrorCode::busy,
                             "the lock " + printable(options_.name) + " is free, but " + kFormerIsSilent +
                                 ": nobody may start for " + format_duration(held.length),
                             "if that command has certainly ended: azlock lease break --holder-is-dead " +
                                 shell_word(held.blob.to_string()));
    error.retryable = true;
    return error;
}

LeaseEnd LockedRun::leave(const HeldLock& held, const LeaseEndTimes& times) {
    return end_lease(acquirer_, held, options_.owner, clock(), times, parts_.tell);
}

LockedRunEnd LockedRun::run_command(const HeldLock* held) {
    const BootTime start = clock().now();
    SessionOptions session;
    session.environment_changes = lock_environment(held_locks(), entry_);
    session.environment_changes.push_back(status_variable());
    if (held != nullptr) session.keeper = &keeper_;
    session.timing = options_.timing;
    session.orphans = options_.orphans;
    session.run_timeout = options_.run_timeout;
    session.gives_terminal = options_.gives_terminal;
    session.tell = parts_.tell;
    BootTime term_at = held != nullptr ? options_.timing.term_at(held->acquired.boot) : kNoDeadline;
    session.on_term_point = [&](BootTime at) { term_at = at; };
    session.on_started = [this](pid_t pid) {
        status_.pid = pid;
        status_.outcome = "held";
        parts_.note(status_);
    };
    session.rewrite_record = [this, held](const azure::Call& call) {
        return acquirer_.rewrite_record(*held, options_.owner, call);
    };
    command_may_run_ = true;
    SessionOutcome outcome = run_session(parts_.guard, parts_.signals, parts_.single, held, session);
    command_may_run_ = !outcome.nothing_left;
    if (held != nullptr) release(*held, lease_end(term_at), outcome);
    held_.reset();
    status_.held = std::chrono::duration_cast<milliseconds>(clock().now() - start);
    LockedRunEnd end = end_of(std::move(outcome));
    end.ran = *status_.held;
    return end;
}

void LockedRun::release(const HeldLock& held, BootTime lease_end, SessionOutcome& outcome) {
    if (!outcome.nothing_left) {
        parts_.tell("some processes of the command still run: azlock does not release the lock, but it ends by itself");
        return;
    }
    // After a loss, too: the lease may still be ours, and the mark tells the next holder that it need not wait for us.
    const bool was_lost = outcome.kind == SessionOutcome::Kind::lost;
    std::stop_source told;  // by a signal: then nothing is repeated
    parts_.signals.hand_over([&](int) { told.request_stop(); });
    const LeaseEnd left = leave(held, was_lost ? LeaseEndTimes{kShortReleaseTime, {}, {}}
                                               : LeaseEndTimes{kReleaseTime, lease_end, told.get_token()});
    parts_.signals.hand_over([](int) {});
    if (was_lost) return;
    if (left.lost) {
        lost_at_end_ = true;
        outcome.kind = SessionOutcome::Kind::lost;
        outcome.why = "somebody broke the lease or took it while the command ran";
        if (left.error) outcome.why += " (" + left.error->message + ")";
    } else if (left.error) {
        parts_.tell(describe_not_released(*left.error, lease_end - clock().now()));
    }
    if (left.unsaid) {
        parts_.tell(describe_unsaid(*left.unsaid, std::chrono::duration_cast<milliseconds>(options_.timing.ttl)));
    }
}

LockedRunEnd LockedRun::end_of(SessionOutcome outcome) {
    using Kind = LockedRunEnd::Kind;
    LockedRunEnd end;
    end.session = std::move(outcome);
    const SessionOutcome& session = end.session;
    if (session.wait_status) status_.command_end = os::command_end(*session.wait_status);
    status_.reason = session.why;
    const auto is = [&](Kind kind, const char* word) {
        end.kind = kind;
        status_.outcome = word;
    };
    if (session.kind == SessionOutcome::Kind::ran) {
        is(Kind::ran, "ran");
    } else if (session.kind == SessionOutcome::Kind::timed_out) {
        is(Kind::timed_out, "timeout");
    } else if (session.kind == SessionOutcome::Kind::lost) {
        is(Kind::lost, "lost");
        end.error = make_error(ErrorCode::precondition,
                               "the lock " + printable(options_.name) + " was lost: " + session.why +
                                   (lost_at_end_ || !session.nothing_left ? "" : "; the command was ended"));
        end.error->lost = true;
    } else if (session.signal != 0) {
        is(Kind::signalled, "signalled");
        end.error = make_error(ErrorCode::cancelled, "stopped by a signal before the command was started");
    } else {
        is(Kind::not_started, "not_started");
        end.error =
            make_error(ErrorCode::input_missing, "cannot run '" + printable(options_.command) + "': " + session.why);
    }
    return end;
}

LockedRunEnd LockedRun::before_start(Error error) {
    LockedRunEnd end;
    const bool signalled = parts_.signals.received() != 0;
    status_.outcome = error.code == ErrorCode::busy ? "busy" : (signalled ? "signalled" : "error");
    if (signalled && error.code == ErrorCode::unavailable) error.code = ErrorCode::cancelled;
    status_.reason = error.message;
    end.error = std::move(error);
    return end;
}

// The command is told which lock that was.
void LockedRun::run_hook() {
    parts_.signals.hand_over({});  // a signal must be able to end azlock if the command hangs
    std::vector<std::string> environment = lost_lock_environment(entry_);
    environment.push_back(status_variable());
    const auto ran = os::run_shell(options_.on_lost, environment);
    if (!ran) {
        parts_.tell(error_text(ran.error()));
    } else if (*ran != 0) {
        parts_.tell("--on-lost ended with code " + std::to_string(os::exit_code_of(*ran)));
    }
}

}  // namespace azlock::ops
