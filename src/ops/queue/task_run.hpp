// One attempt of one task: runs the command under the task's lease, and records the outcome.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/lock/session.hpp"
#include "ops/queue/claim.hpp"
#include "ops/queue/output.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {

// How each attempt is run, and what a failure costs.
struct WorkRules {
    LockTiming timing;
    Orphans orphans = Orphans::wait;
    std::uint64_t max_attempts = 5;
    std::optional<std::chrono::milliseconds> run_timeout;
    OwnerRecord owner;                            // its command is argv[0]
    std::chrono::milliseconds retry_delay{1000};  // the pause after the first failure of a task; it grows
};

// What all attempts of a worker share. Whatever it refers to must outlive the worker.
struct WorkPlan : WorkRules {
    Queue queue;
    std::optional<OutputPlace> output = {};  // --output-to
};

// Why a worker cannot go on. The error is `lost` if a guard was killed.
struct WorkerFailure {
    Error error;
    os::StartFailure start_failure = os::StartFailure::none;  // of the command
};

struct TaskEnd {
    enum class Kind {
        done,         // finished
        given_back,   // it will be tried again
        dead,         // among the dead letters
        not_started,  // its command was not started, and the reason is told
        refused,      // the service refuses to read or change it, as in the archive tier; it stays as it is
        undeleted,    // the service refuses to delete it; its command has succeeded, or it was only to be deleted
        gone,         // it had ended before; only remains were deleted
        lost,         // the lease was lost; another worker may have the task
        unknown       // the service did not answer before the lease ended
    };
    Kind kind = Kind::lost;
    std::optional<WorkerFailure> fatal = {};  // set if the worker cannot go on
    std::uint64_t attempt = 0;
    std::optional<int> exit_code = {};  // of the command
    std::optional<Error> why = {};      // refused, undeleted; not_started, unless a signal was the reason
    std::string etag = {};              // undeleted: the version that stays
};
[[nodiscard]] std::string_view to_string(TaskEnd::Kind kind);

// What azlock itself cannot do (store the output, run the command) ends the worker and costs the task nothing.
// The stop token of `call` ends the attempt before the command starts; `signals` end the command. `tell` gets lines for
// people, from several threads.
[[nodiscard]] TaskEnd run_task(const WorkPlan& plan, Claim claim, os::Guard& guard, os::SignalSource& signals,
                               const std::function<void(const std::string&)>& tell, const azure::Call& call);

}  // namespace azlock::ops
