#include "ops/queue/work_request.hpp"

#include "ops/lock/lock_request.hpp"

namespace azlock::ops {

Result<WorkRules> make_work_rules(const WorkRequest& request, const OwnerRecord& holder) {
    if ((request.limits.no_wait || request.limits.delayed) && !request.limits.drain) {
        return fail(ErrorCode::usage, "--no-wait and --delayed go with --drain");
    }
    if (request.limits.poll.count() == 0) return fail(ErrorCode::usage, "--poll: must be more than 0");
    const auto timing = make_lock_timing(request.ttl, request.kill_after);
    if (!timing) return fail(timing.error());
    const auto orphans = read_orphans(request.orphans);
    if (!orphans) return fail(orphans.error());
    if (*orphans == Orphans::leave) {
        return fail(ErrorCode::usage, "queue work takes --orphans wait or kill, not leave");
    }
    WorkRules out = request.rules;
    out.timing = *timing;
    if (out.run_timeout == std::chrono::milliseconds(0)) out.run_timeout.reset();  // 0: none
    out.orphans = *orphans;
    out.owner = holder;
    return out;
}

int exit_code_of(const WorkResult& result, const WorkCodes& codes) {
    if (const auto& failure = result.failure) {
        if (failure->start_failure != os::StartFailure::none) return os::exit_code_of(failure->start_failure);
        if (failure->error.lost) return codes.of_error(failure->error);
    }
    if (result.signal != 0) return 128 + result.signal;
    if (result.some_failed) return codes.some_failed;
    return result.outcome ? 0 : codes.of_error(result.outcome.error());
}

}  // namespace azlock::ops
