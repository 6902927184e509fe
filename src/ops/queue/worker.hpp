// A worker: takes tasks and runs them until it must end; as many at once as there are guards.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ops/queue/task_run.hpp"

namespace azlock::ops {

struct WorkLimits {
    bool drain = false;                       // end when nothing is ready, runs, or pauses after a failure
    bool no_wait = false;                     // drain: do not wait for tasks that others run
    bool delayed = false;                     // drain: wait for delayed tasks, too
    std::optional<std::uint64_t> tasks;       // end after this many that were started
    std::chrono::milliseconds poll{10'000};   // the longest pause between two looks at an empty queue
    std::chrono::milliseconds grace{25'000};  // after the first signal, for running tasks to end
};

struct WorkTotals {
    std::uint64_t done = 0;
    std::uint64_t given_back = 0;
    std::uint64_t dead = 0;
    std::uint64_t lost = 0;
    std::uint64_t refused = 0;
    friend bool operator==(const WorkTotals&, const WorkTotals&) = default;
};

// What a worker borrows; all of it must outlive the worker. The functions are called from several threads.
struct WorkerParts {
    std::span<os::Guard> guards;  // one for each job
    os::SignalSource& signals;
    Deadline deadline;
    std::function<void(const std::string&)> tell;  // lines for people
    // A task has ended: the task as it was listed, and how long it took.
    std::function<void(const QueueTask& task, const TaskEnd& end, std::chrono::milliseconds took)> report;
};

struct WorkResult {
    Status outcome;  // error: why it cannot go on; cancelled after a signal
    WorkTotals totals;
    bool some_failed = false;              // it ended by itself, and tasks became dead letters or were refused
    int signal = 0;                        // that stopped it; 0: none
    std::optional<WorkerFailure> failure;  // why it could not go on; nullopt if nothing failed
};
// Returns after all commands that it ran have ended.
[[nodiscard]] WorkResult run_worker(const WorkPlan& plan, const WorkLimits& limits, const WorkerParts& parts);

}  // namespace azlock::ops
