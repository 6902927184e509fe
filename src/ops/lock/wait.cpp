#include "ops/lock/wait.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr milliseconds kShortestPause{250};
constexpr seconds kLongestPause{5};
constexpr seconds kLongestSoon{1};  // while the lock may become free at any moment
constexpr seconds kFirstTold{2};
constexpr seconds kMostSilence{300};

std::string lock_label(const Acquirer& acquirer) {
    return "the lock " + printable(acquirer.name().first.blob);
}

// "is held by ...", about somebody else's lock.
std::string describe_busy(const LockBusy& busy) {
    std::string out = "is held by " + describe_owner(busy.owner, busy.date);
    if (busy.lease_state == "breaking") out += " (its lease is being broken)";
    return out;
}

}  // namespace

Result<HeldLock> wait_for_lock(Acquirer& acquirer, const WaitPlan& plan, Clock& clock, Random& random,
                               const std::function<void(const std::string&)>& tell, const azure::Call& call) {
    const BootTime start = clock.now();
    DecorrelatedJitter pauses(random, kShortestPause, kLongestPause, kShortestPause);
    BootTime tell_at = start + kFirstTold;
    nanoseconds silence = seconds(30);
    int failures = 0;
    for (;;) {
        const bool last = plan.never || (plan.until && clock.now() >= *plan.until);
        auto outcome = acquirer.try_once(call);
        bool soon = false;
        std::string held_by;
        if (outcome) {
            failures = 0;
            if (auto* held = std::get_if<HeldLock>(&*outcome)) return std::move(*held);
            const LockBusy& busy = std::get<LockBusy>(*outcome);
            soon = busy.soon;
            held_by = describe_busy(busy);
            if (last) {
                Error error = make_error(ErrorCode::busy, lock_label(acquirer) + " " + held_by);
                error.retryable = true;
                return fail(std::move(error));
            }
        } else {
            const Error& error = outcome.error();
            const bool again = error.code == ErrorCode::unavailable && error.retryable && ++failures <= plan.retries;
            if (!again || last) return fail(error);
            held_by = "cannot be acquired: " + error.message;
        }
        BootTime next = clock.after(soon ? std::min<nanoseconds>(pauses.next(), kLongestSoon) : pauses.next());
        if (plan.until) next = std::min(next, std::max(*plan.until, clock.now()));
        if (clock.now() >= tell_at) {
            tell("waiting: " + lock_label(acquirer) + " " + held_by);
            tell_at = clock.now() + silence;
            silence = std::min<nanoseconds>(silence * 2, kMostSilence);
        }
        if (next >= call.deadline) {
            Error error =
                make_error(ErrorCode::unavailable, lock_label(acquirer) + " " + held_by + " (the deadline passed)");
            error.retryable = true;
            return fail(std::move(error));
        }
        if (!clock.wait_until(next, call.stop)) return fail(ErrorCode::cancelled, "stopped by a signal while waiting");
    }
}

}  // namespace azlock::ops
