// What a user asks of a worker, the rules that follow from it, and the exit code of each end.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "ops/queue/worker.hpp"

namespace azlock::ops {

struct WorkRequest {
    WorkRules rules;  // max_attempts, run_timeout, retry_delay
    WorkLimits limits;
    std::chrono::milliseconds ttl = kDefaultTtl;
    std::optional<std::chrono::milliseconds> kill_after;
    std::string orphans = "wait";  // or "kill"
};

// All that needs no queue. `holder`: the record of this process, with its command. Error: usage (times that do not fit
// together; limits that go only with others; orphans that would run on without a lease).
[[nodiscard]] Result<WorkRules> make_work_rules(const WorkRequest& request, const OwnerRecord& holder);

// azlock's exit codes for ends that have none of their own.
struct WorkCodes {
    int some_failed;
    std::function<int(const Error&)> of_error;  // from the table of exit codes
};

// The first that is true: the command could not be started (125 to 127), a guard was killed, a signal stopped the
// worker (128+N), some tasks died, an error; else 0.
[[nodiscard]] int exit_code_of(const WorkResult& result, const WorkCodes& codes);

}  // namespace azlock::ops
