// The end of a run under a lock: gives the lease back, and says how the run came out.
#include <utility>

#include "base/error_text.hpp"
#include "base/text.hpp"
#include "ops/lock/locked_run.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kReleaseTime{5};
constexpr seconds kShortReleaseTime{2};

}  // namespace

LeaseEnd LockedRun::leave(const HeldLock& held, const LeaseEndTimes& times) {
    return end_lease(acquirer_, held, options_.owner, clock(), times, parts_.tell);
}

// No command was started. In the quarantine the lease is not released: the next holder could start without one.
void LockedRun::give_back() {
    const auto held = std::exchange(held_, std::nullopt);
    if (!held || held->quarantine.count() > 0 || command_may_run_) return;
    const LeaseEnd left = leave(*held, {kShortReleaseTime, {}, {}});
    if (left.lost || !left.error) return;
    parts_.tell(describe_not_released(*left.error, held->acquired.boot + held->length - clock().now()));
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

LockedRunEnd LockedRun::outer_is_lost(Error error) {
    error.message = "the outer lock " + printable(options_.name) + " was lost: " + error.message;
    error.lost = true;
    LockedRunEnd end = before_start(std::move(error));
    end.kind = LockedRunEnd::Kind::lost;
    return end;
}

// The command is told which lock that was.
void LockedRun::run_hook(LockedRunEnd& end) {
    parts_.signals.hand_over({});  // a signal ends the waiting
    std::vector<std::string> environment = lost_lock_environment(entry_);
    environment.push_back(status_variable());
    const auto ran = os::run_shell(options_.on_lost, environment, parts_.call.stop);
    if (!ran) {
        parts_.tell(error_text(ran.error()));
    } else if (!*ran) {
        parts_.tell("stopped by a signal; the command of --on-lost goes on");
        end.kind = LockedRunEnd::Kind::signalled;
        end.session.signal = parts_.signals.received();
    } else if (**ran != 0) {
        parts_.tell("--on-lost ended with code " + std::to_string(os::exit_code_of(**ran)));
    }
}

}  // namespace azlock::ops
