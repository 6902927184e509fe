#include "ops/lock/locked_run.hpp"

#include <algorithm>
#include <utility>

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/shell_quote.hpp"
#include "base/text.hpp"
#include "base/within_limits.hpp"
#include "ops/lease/refusal.hpp"
#include "ops/lease/sas_limits.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kPrepareTime{2};
// With the time to give back a lease that an unanswered acquire may have taken: 10 s.
constexpr seconds kNeverWaitTime{8};
constexpr seconds kNestedTime{60};
constexpr seconds kKeeperAgain{1};
constexpr const char* kFormerIsSilent = "the former holder has not said that its command has ended";

Error lost_by_its_azlock() {
    return make_error(ErrorCode::precondition, "its azlock says so");
}

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
    const bool begun = status_.held.has_value();
    if (end.kind == LockedRunEnd::Kind::lost && begun && !options_.on_lost.empty()) {
        parts_.note(status_);
        run_hook(end);
    }
    parts_.ended(status_, end);
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
        const auto outer = outer_lock(plan);
        if (!outer) return before_start(outer.error());
        if (*outer) return run_inside(**outer, plan);
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

// As long as the azlock of an outer lock lives, silence is no answer: to wait for the lock would be to wait for it.
Result<std::optional<OuterLock>> LockedRun::outer_lock(const WaitPlan& plan) {
    std::vector<std::string> urls;
    for (std::uint64_t slot = 0; slot < options_.blobs.slots; ++slot) urls.push_back(url_of(options_.blobs.slot(slot)));
    const BootTime until =
        std::min(parts_.call.deadline, plan.until.value_or(plan.never ? clock().after(kNeverWaitTime) : kNoDeadline));
    for (bool told = false;;) {
        OuterSearch search = find_outer_lock(urls, options_.keeper_patience, parts_.tell);
        if (!search.silent || search.found) return std::move(search.found);
        const std::string silence =
            "the azlock that keeps the lock " + printable(options_.name) + " for this process does not answer";
        if (clock().now() >= until) {
            Error error = make_error(ErrorCode::busy, silence);
            error.retryable = true;
            return fail(std::move(error));
        }
        if (!std::exchange(told, true)) parts_.tell(silence + "; azlock asks it again");
        if (!clock().wait_until(std::min(until, clock().after(kKeeperAgain)), parts_.call.stop)) {
            return fail(stopped_by_signal());
        }
    }
}

LockedRunEnd LockedRun::run_inside(const OuterLock& outer, const WaitPlan& plan) {
    const HeldEntry& entry = outer.entry;
    if (!outer.said.held) return outer_is_lost(lost_by_its_azlock());
    azure::Call call = parts_.call;
    const BootTime until = plan.until.value_or(clock().after(plan.never ? kNeverWaitTime : kNestedTime));
    call.deadline = std::min(call.deadline, until);
    const auto renew = [&] {
        return parts_.client.renew_lease(options_.blobs.slot(entry.slot), entry.lease_id, {}, call);
    };
    auto renewed = renew();
    for (bool told = false; !renewed && renewed.error().code == ErrorCode::unavailable && renewed.error().retryable;) {
        if (!std::exchange(told, true)) {
            parts_.tell("waiting: the outer lock " + printable(options_.name) +
                        " cannot be renewed: " + renewed.error().message);
        }
        const BootTime next = clock().after(kKeeperAgain);
        if (next >= call.deadline || !clock().wait_until(next, call.stop)) break;
        const KeeperSays said = ask_keeper(entry.keeper, entry.lease_id, options_.keeper_patience);
        if (said.answer && !said.answer->held) return outer_is_lost(lost_by_its_azlock());
        renewed = renew();
    }
    if (!renewed && is_definitive(renewed.error())) return outer_is_lost(renewed.error());
    if (!renewed) return before_start(renewed.error());
    if (auto same = check_slots(options_.blobs, entry.slots); !same) return before_start(same.error());
    status_.slot = entry.slot;
    status_.url = entry.url;
    status_.fence = parse_u64(entry.fence);
    entry_ = entry;
    return run_command(nullptr);
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
            if (too_long && (plan.never || options_.blobs.slots == 1)) return fail(in_quarantine(*held_));
        }
        // The time of -n or -w does not count while a new lock waits for its first fence.
        azure::Call preparing = call;
        if (held_->fence_from > clock().now()) {
            preparing.deadline = std::max(call.deadline, held_->fence_from + kPrepareTime);
        }
        Status ready = within_limits([&] { return prepare(*held_, preparing); });
        if (ready) return {};
        give_back();
        if (!is_definitive(ready.error()) && !ready.error().lost) return fail(ready.error());
        parts_.tell("the lease was lost before the command started; azlock tries again");
    }
}

// The steps between acquiring the lease and starting the command.
Status LockedRun::prepare(HeldLock& held, const azure::Call& call) {
    if (held.quarantine.count() > 0) {
        parts_.tell(std::string(kFormerIsSilent) + "; azlock waits " + format_duration(held.quarantine) +
                    " until it has ended for sure" +
                    (options_.blobs.slots > 1 ? ", or until another slot is free" : ""));
        if (auto ok = acquirer_.sit_out_quarantine(held, call); !ok) {
            const bool too_long = ok.error().code == ErrorCode::busy && !is_definitive(ok.error());
            return too_long ? fail(in_quarantine(held)) : ok;
        }
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

// Under -n, or if the quarantine would last longer than -w. The lease is not released: when it has ended by itself, the
// quarantine has passed, too.
Error LockedRun::in_quarantine(const HeldLock& held) const {
    const auto left = std::chrono::ceil<seconds>(held.acquired.boot + held.length - clock().now());
    Error error =
        make_error(ErrorCode::busy,
                   (options_.blobs.slots > 1 ? "a slot of the lock " : "the lock ") + printable(options_.name) +
                       " is free, but " + kFormerIsSilent + ": nobody may start for " + format_duration(left),
                   "if that command has certainly ended: azlock lease break --holder-is-dead " +
                       shell_word(held.blob.to_string()));
    error.retryable = true;
    return error;
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

}  // namespace azlock::ops
