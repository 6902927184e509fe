#include "ops/lock/election.hpp"

#include <limits>

#include "base/quantity.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// True if a later try may succeed and nobody has asked us to stop.
bool may_pass(const Error& error, const LockedRunParts& parts) {
    return error.code == ErrorCode::unavailable && error.retryable && !parts.call.stop.stop_requested() &&
           parts.client.clock().now() < parts.call.deadline;
}

bool is_final(const LockedRunEnd& end, const LockedRunParts& parts) {
    if (parts.signals.asked() != 0 || parts.guard.gone() || !end.session.nothing_left) return true;
    if (end.kind == LockedRunEnd::Kind::not_started) return true;
    return !end.held && (!end.error || !may_pass(*end.error, parts));
}

std::string what_happened(const LockedRunEnd& end) {
    if (end.error) return end.error->message;
    const int code = end.kind == LockedRunEnd::Kind::timed_out ? os::kExitTimedOut
                                                               : os::exit_code_of(end.session.wait_status.value());
    return "the command ended with code " + std::to_string(code) + " after " + format_duration(end.ran);
}

}  // namespace

nanoseconds TermBackoff::after_term(nanoseconds length, bool lost) {
    if (length < kLongTerm || lost) return pauses_.next();
    pauses_.reset();
    return nanoseconds(0);
}

LockedRunEnd run_election(LockedRun& term, bool once, int retries) {
    WaitPlan plan;
    plan.retries = once ? retries : std::numeric_limits<int>::max();
    if (once) return term.run(plan);
    const LockedRunParts& parts = term.parts();
    Clock& clock = parts.client.clock();
    TermBackoff backoff(parts.client.random());
    for (;;) {
        LockedRunEnd end = term.run(plan);
        // From here on azlock handles signals itself, including those that came since the command was started.
        parts.signals.hand_over({});
        if (end.session.interrupted) return end;
        if (const int asked = parts.signals.asked(); asked != 0 && end.held && !end.error) {
            // The result is the same whether the signal came just before or just after the command's end.
            end.kind = LockedRunEnd::Kind::signalled;
            end.session.signal = asked;
        }
        if (is_final(end, parts)) return end;
        const auto pause = backoff.after_term(end.ran, end.kind == LockedRunEnd::Kind::lost || !end.held);
        const std::string again =
            pause.count() == 0 ? "at once" : "in " + format_duration(std::chrono::ceil<milliseconds>(pause));
        parts.tell(what_happened(end) + "; azlock is a candidate again " + again);
        if (!clock.wait_until(clock.after(pause), parts.call.stop)) {
            LockedRunEnd stopped;
            stopped.error = make_error(ErrorCode::cancelled, "stopped by a signal between two terms");
            return stopped;
        }
    }
}

}  // namespace azlock::ops
