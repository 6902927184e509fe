#include "ops/lock/lock_rules.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Kind = LockAction::Kind;

constexpr seconds kLate{1};
constexpr seconds kDisagree{1};
constexpr seconds kDateGrain{1};  // the Date header has whole seconds
constexpr seconds kLeastCheck{10};
constexpr seconds kLookTime{5};
constexpr seconds kBreakTime{5};
constexpr seconds kSlack{5};  // the guard acts this much later than our own limits
constexpr seconds kTellEvery{10};
constexpr milliseconds kFirstPause{250};
constexpr milliseconds kLongestRetryPause{2000};

std::string span_text(nanoseconds span) {
    return format_duration(std::chrono::ceil<milliseconds>(span));
}

LockAction action(Kind kind, BootTime time = {}, int number = 0) {
    LockAction out;
    out.kind = kind;
    out.time = time;
    out.number = number;
    return out;
}

void tell(LockActions& out, std::string text) {
    out.push_back(action(Kind::tell));
    out.back().text = std::move(text);
}

}  // namespace

LockRules::LockRules(const LockTiming& timing, Random& random, Now acquired, std::optional<WallTime> date)
    : timing_(timing),
      random_(random),
      sent_(acquired.boot),
      reference_(acquired),
      date_(date),
      date_sent_(acquired.boot),
      tries_(timing.ttl) {
    plan_renew(acquired.boot);
    due_ = next();
}

LockActions LockRules::on_time(Now now) {
    LockActions out;
    if (phase_ == Phase::lost) return out;
    const bool late = now.boot > *due_ + kLate;
    const nanoseconds lateness = now.boot - *due_;
    const bool clocks = clocks_disagree(now);
    switch (phase_) {
        case Phase::held:
            if (late || clocks) {
                begin_check(out, now.boot,
                            late ? "azlock was stopped or the machine slept (" + span_text(lateness) + " too late)"
                                 : "the machine's clock jumped forward");
            } else if (now.boot >= term_at()) {
                lose(out, "no renew of the lease succeeded in time", timing_.kill_at(sent_));
                break;
            }
            start_due_try(out, now.boot);
            break;
        case Phase::checking:
            if (now.boot >= check_until_) {
                lose(out, "the lease could not be renewed after the pause", now.boot);
            } else {
                start_due_try(out, now.boot);
            }
            break;
        case Phase::recording:
            if (now.boot >= check_until_) {
                lose(out, "the record of the lock could not be written after the pause", now.boot);
            } else if (now.boot >= answer_by_) {
                failed(out, "cannot write the record of the lock: no answer", now.boot);
            }
            break;
        case Phase::looking:
        case Phase::asking:
            if (now.boot >= answer_by_) lose(out, why_, now.boot);
            break;
        case Phase::lost: break;
    }
    due_ = next();
    return out;
}

LockActions LockRules::on_renewed(int number, const RenewAnswer& answer, Now now) {
    LockActions out = on_time(now);
    if (phase_ != Phase::held && phase_ != Phase::checking) return out;
    const auto done = tries_.answered(number);
    if (!done) return out;
    switch (answer.kind) {
        case RenewAnswer::Kind::held:
            // A renew that was sent before the pause proves nothing about the pause.
            if (phase_ == Phase::held || number >= first_proof_) succeeded(out, done->sent, answer, now);
            break;
        case RenewAnswer::Kind::definitive: refused(out, answer.text, now.boot); break;
        case RenewAnswer::Kind::transient: failed(out, "cannot renew the lease: " + answer.text, now.boot); break;
    }
    due_ = next();
    return out;
}

LockActions LockRules::on_recorded(int number, const RenewAnswer& answer, Now now) {
    LockActions out = on_time(now);
    if (phase_ != Phase::recording || number != last_record_) return out;
    switch (answer.kind) {
        case RenewAnswer::Kind::held:
            phase_ = Phase::held;
            settled(out);
            tell(out, "the lease was never lost; the command continues");
            out.push_back(action(Kind::thaw, sent_));
            break;
        case RenewAnswer::Kind::definitive: refused(out, answer.text, now.boot); break;
        case RenewAnswer::Kind::transient:
            failed(out, "cannot write the record of the lock: " + answer.text, now.boot);
            break;
    }
    due_ = next();
    return out;
}

LockActions LockRules::on_looked(const std::string& lease_state, Now now) {
    LockActions out = on_time(now);
    if (phase_ != Phase::looking) return out;
    if (lease_state == "breaking") {
        phase_ = Phase::asking;
        answer_by_ = now.boot + kBreakTime;
        out.push_back(action(Kind::ask_break, answer_by_));
    } else {
        lose(out, why_, now.boot);
    }
    due_ = next();
    return out;
}

LockActions LockRules::on_break_time(std::optional<int> seconds_left, BootTime sent, Now now) {
    LockActions out = on_time(now);
    if (phase_ != Phase::asking) return out;
    BootTime kill = now.boot;
    // The service rounds the seconds, so one second is taken off.
    if (seconds_left) kill = std::min(now.boot + timing_.kill_after, sent + seconds(*seconds_left) - seconds(1));
    if (kill > now.boot)
        tell(out, "the lease is being broken; the command has " + span_text(kill - now.boot) + " to end");
    lose(out, why_, std::max(kill, now.boot));
    due_ = next();
    return out;
}

LockActions LockRules::on_guard_late(Now now) {
    LockActions out = on_time(now);
    if (phase_ == Phase::held) {
        begin_check(out, now.boot, "the guard was stopped or the machine slept");
    } else if (phase_ == Phase::checking || phase_ == Phase::recording) {
        out.push_back(action(Kind::freeze, check_until_ + kSlack));
    }
    due_ = next();
    return out;
}

LockActions LockRules::check(Now now, const std::string& why) {
    LockActions out = on_time(now);
    if (phase_ == Phase::held) begin_check(out, now.boot, why);
    due_ = next();
    return out;
}

BootTime LockRules::next() const {
    if (phase_ == Phase::lost) return kNoDeadline;
    if (phase_ != Phase::held && phase_ != Phase::checking) return answer_by_;
    return std::min(renewed_by(), tries_.next());
}

BootTime LockRules::renewed_by() const {
    return phase_ == Phase::checking ? check_until_ : term_at();
}

void LockRules::start_due_try(LockActions& out, BootTime now) {
    if (const auto due = tries_.start_due(now, renewed_by())) {
        out.push_back(action(Kind::renew, due->until, due->number));
    }
}

void LockRules::plan_renew(BootTime sent) {
    tries_.plan(sent + jittered(timing_.renew_every(), 1 - kRenewJitter, 1 + kRenewJitter, random_));
}

void LockRules::succeeded(LockActions& out, BootTime sent, const RenewAnswer& answer, Now now) {
    sent_ = std::max(sent_, sent);
    reference_ = now;
    tries_.wait_for_none();
    plan_renew(sent_);
    const bool paused = answer.date && date_ && *answer.date - *date_ - kDateGrain > now.boot - date_sent_ + kDisagree;
    if (paused && phase_ == Phase::held) {
        stop_command(out, now.boot,
                     "azlock was paused: more time passed on the service's clock than on this machine's; the command "
                     "is stopped until the record of the lock is written again");
    }
    date_ = answer.date;
    date_sent_ = sent;
    if (phase_ == Phase::checking) return record(out, now.boot);
    settled(out);
    out.push_back(action(Kind::points, sent_));
}

void LockRules::record(LockActions& out, BootTime now) {
    phase_ = Phase::recording;
    answer_by_ = now + try_time(std::min(check_until_, term_at()) - now);
    out.push_back(action(Kind::rewrite_record, answer_by_, ++last_record_));
}

void LockRules::settled(LockActions& out) {
    if (failures_ > 0) tell(out, "the lease was renewed again");
    failures_ = 0;
    told_.reset();
}

// After a record that could not be written, too, the next step is a renew: it shows whether the lease is still ours.
void LockRules::failed(LockActions& out, const std::string& what, BootTime now) {
    if (phase_ == Phase::recording) {
        phase_ = Phase::checking;
        first_proof_ = tries_.last() + 1;
    }
    ++failures_;
    const milliseconds pause = std::min(kLongestRetryPause, kFirstPause * (1 << std::min(failures_ - 1, 4)));
    const nanoseconds wait = jittered(pause, 0.5, 1, random_);
    if (!tries_.any_under_way()) tries_.plan(now + wait);
    if (told_ && now < *told_ + kTellEvery) return;
    told_ = now;
    tell(out, what + "; if this continues, the command is ended in " +
                  span_text(std::max(renewed_by() - now, nanoseconds(0))));
}

void LockRules::refused(LockActions& out, const std::string& text, BootTime now) {
    // Not even for the time that a break leaves may the command run if its record is not written again.
    if (phase_ != Phase::held) return lose(out, text, now);
    why_ = text;
    phase_ = Phase::looking;
    answer_by_ = now + kLookTime;
    out.push_back(action(Kind::freeze, now + kLookTime + kBreakTime + kSlack));
    out.push_back(action(Kind::look, answer_by_));
}

void LockRules::begin_check(LockActions& out, BootTime now, const std::string& why) {
    stop_command(out, now, why + "; the command is stopped until the lease is renewed");
    first_proof_ = tries_.last() + 1;
    tries_.wait_for_none();
    tries_.plan(now);
    start_due_try(out, now);
}

void LockRules::stop_command(LockActions& out, BootTime now, std::string text) {
    phase_ = Phase::checking;
    check_until_ = std::max(term_at(), now + kLeastCheck);
    out.push_back(action(Kind::freeze, check_until_ + kSlack));
    tell(out, std::move(text));
}

void LockRules::lose(LockActions& out, const std::string& why, BootTime kill_at) {
    phase_ = Phase::lost;
    why_ = why;
    out.push_back(action(Kind::end, kill_at));
}

bool LockRules::clocks_disagree(Now now) {
    const nanoseconds ahead = (now.wall - reference_.wall) - (now.boot - reference_.boot);
    if (ahead > kDisagree) {
        reference_ = now;
        return true;
    }
    if (ahead < nanoseconds(0)) reference_.wall += ahead;  // the clock was set back: compare from there
    return false;
}

}  // namespace azlock::ops
