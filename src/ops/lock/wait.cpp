#include "ops/lock/wait.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "base/text.hpp"
#include "base/within_limits.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr milliseconds kShortestPause{250};
constexpr seconds kLongestPause{5};
constexpr seconds kLongestSoon{1};  // while the lock may become free at any moment
constexpr milliseconds kLastTryTime{250};
// Time for a try: short at first, so that the user soon hears of a service that does not answer.
constexpr seconds kFirstAcquireTry{2};
constexpr seconds kLongestAcquireTry{10};
constexpr seconds kLeastOutage{60};
constexpr seconds kFirstTold{2};
constexpr seconds kMostSilence{300};

std::string lock_label(const Acquirer& acquirer) {
    return "the lock " + printable(acquirer.name().first.blob);
}

// "is held by ...", about somebody else's lock.
std::string describe_busy(const LeaseView& view) {
    if (!view.is_taken()) return "is taken by others again and again";
    return "is held by " + view.holder() + (view.lease.state == "breaking" ? " (its lease is being broken)" : "");
}

// What the user can do about it; empty: only wait.
std::string way_out(const LockBusy& busy) {
    if (busy.view.lease.state != "leased") return {};
    return (busy.view.former ? "if that command has certainly ended: " : "to end its lease: ") +
           busy.view.way_out(busy.blob.to_string());
}

class LockWait {
  public:
    LockWait(Acquirer& acquirer, const WaitPlan& plan, Clock& clock, Random& random,
             const std::function<void(const std::string&)>& tell, const azure::Call& call)
        : acquirer_(acquirer),
          plan_(plan),
          clock_(clock),
          tell_(tell),
          call_(call),
          pauses_(random, kShortestPause, kLongestPause, kShortestPause),
          last_try_(plan.until.value_or(kNoDeadline) - kLastTryTime),
          tell_at_(clock.now() + kFirstTold) {}

    Result<HeldLock> run() {
        auto held = within_limits([&] { return wait(); });
        if (!held) acquirer_.abandon();
        return held;
    }

  private:
    Result<HeldLock> wait() {
        for (;;) {
            if (auto held = try_once(clock_.now() >= last_try_)) return std::move(*held);
            if (end_) return fail(std::move(*end_));
            tell();
            if (auto ok = pause(); !ok) return fail(ok.error());
        }
    }

    // Without a lease: the reason is in state_, and `end_` is set if no other try follows.
    std::optional<HeldLock> try_once(bool last) {
        const BootTime asked = clock_.now();
        azure::Call limited = call_;
        limited.deadline = std::min(call_.deadline, clock_.after(longest_try_));
        auto outcome = acquirer_.try_once(limited);
        if (!outcome) {
            on_error(outcome.error(), asked, last);
            return std::nullopt;
        }
        failures_ = 0;
        failure_.reset();
        if (auto* held = std::get_if<HeldLock>(&*outcome)) return std::move(*held);
        const LockBusy& busy = std::get<LockBusy>(*outcome);
        soon_ = busy.soon;
        state_ = describe_busy(busy.view);
        busy_ = make_error(ErrorCode::busy, lock_label(acquirer_) + " " + state_, way_out(busy));
        busy_->retryable = true;
        if (last || plan_.never) end_ = busy_;
        return std::nullopt;
    }

    void on_error(const Error& error, BootTime asked, bool last) {
        soon_ = false;
        failure_ = error;
        state_ = "cannot be acquired: " + error.message;
        if (failures_++ == 0) silent_since_ = asked;
        longest_try_ = std::min<nanoseconds>(longest_try_ * 2, kLongestAcquireTry);
        const bool passing = error.code == ErrorCode::unavailable && error.retryable;
        const bool again =
            failures_ <= plan_.retries || (plan_.retries > 0 && clock_.now() < silent_since_ + kLeastOutage);
        if (passing && last && busy_) {
            end_ = busy_;
        } else if (!passing || last || !again) {
            end_ = error;
        }
    }

    void tell() {
        if (clock_.now() < tell_at_) return;
        const bool advise = !advised_ && busy_ && !failure_ && !busy_->hint.empty();
        tell_("waiting: " + lock_label(acquirer_) + " " + state_ + (advise ? "; " + busy_->hint : ""));
        advised_ = advised_ || advise;
        tell_at_ = clock_.now() + silence_;
        silence_ = std::min<nanoseconds>(silence_ * 2, kMostSilence);
    }

    Status pause() {
        BootTime next = clock_.after(soon_ ? std::min<nanoseconds>(pauses_.next(), kLongestSoon) : pauses_.next());
        next = std::min(next, std::max(last_try_, clock_.now()));
        if (next >= call_.deadline) {
            if (plan_.until && busy_) return fail(std::move(*busy_));
            if (failure_) return fail(std::move(*failure_));
            Error error =
                make_error(ErrorCode::unavailable, lock_label(acquirer_) + " " + state_ + " (the deadline passed)");
            error.retryable = true;
            return fail(std::move(error));
        }
        if (clock_.wait_until(next, call_.stop)) return {};
        return fail(ErrorCode::cancelled, "stopped by a signal while waiting");
    }

    Acquirer& acquirer_;
    const WaitPlan& plan_;
    Clock& clock_;
    const std::function<void(const std::string&)>& tell_;
    const azure::Call& call_;
    DecorrelatedJitter pauses_;
    BootTime last_try_;  // begins a little before the plan's end
    BootTime tell_at_;
    nanoseconds silence_ = seconds(30);
    nanoseconds longest_try_ = kFirstAcquireTry;
    int failures_ = 0;
    BootTime silent_since_{};
    bool soon_ = false;
    bool advised_ = false;          // the user knows how to end the other one's lease
    std::string state_;             // why we do not have it
    std::optional<Error> busy_;     // somebody else had it when we looked last
    std::optional<Error> failure_;  // of the last try, if the service gave no answer
    std::optional<Error> end_;
};

}  // namespace

WaitPlan make_wait_plan(bool never, std::optional<milliseconds> at_most, int retries, const Clock& clock) {
    if (at_most == milliseconds(0)) return {true, {}, retries};
    return {never, at_most ? std::optional(clock.after(*at_most)) : std::nullopt, retries};
}

Result<HeldLock> wait_for_lock(Acquirer& acquirer, const WaitPlan& plan, Clock& clock, Random& random,
                               const std::function<void(const std::string&)>& tell, const azure::Call& call) {
    return LockWait(acquirer, plan, clock, random, tell, call).run();
}

}  // namespace azlock::ops
