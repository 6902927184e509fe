// A worker: takes tasks and runs them until it must end; as many at once as there are guards.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>

#include "base/backoff.hpp"
#include "ops/queue/scan.hpp"
#include "ops/queue/task_run.hpp"

namespace azlock::ops {

struct WorkLimits {
    bool drain = false;                       // end when nothing is ready any more
    std::optional<std::uint64_t> tasks;       // end after this many
    std::chrono::milliseconds poll{10'000};   // the longest pause between two looks at an empty queue
    std::chrono::milliseconds grace{25'000};  // after the first signal, for running tasks to end
};

struct WorkTotals {
    std::uint64_t done = 0;
    std::uint64_t given_back = 0;
    std::uint64_t dead = 0;
    std::uint64_t lost = 0;
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

class QueueWorker {
  public:
    QueueWorker(const WorkPlan& plan, const WorkLimits& limits, WorkerParts parts);

    // Returns after all commands that it ran have ended. Error: why it cannot go on; cancelled after a signal.
    [[nodiscard]] Status run();
    [[nodiscard]] const WorkTotals& totals() const { return totals_; }
    [[nodiscard]] int signal() const { return signal_; }
    // Why it could not go on; nullopt if nothing failed.
    [[nodiscard]] const std::optional<WorkerFailure>& failure() const { return failure_; }

  private:
    struct Job {
        explicit Job(os::Guard& its_guard) : guard(its_guard) {}
        os::Guard& guard;
        JobSignals signals;
    };

    void on_signal(int number);
    void work(Job& job);
    // The next task; nullopt: this job must end.
    [[nodiscard]] std::optional<QueueTask> next();
    [[nodiscard]] bool wait_for_others();
    void count(const QueueTask& task, const TaskEnd& end, std::chrono::nanoseconds took);
    void fail_worker(WorkerFailure failure);
    void supervise();
    [[nodiscard]] bool reserve();
    void give_reservation_back();

    const WorkPlan& plan_;
    WorkLimits limits_;
    WorkerParts parts_;
    Clock& clock_;
    QueueScanner scanner_;
    std::deque<Job> jobs_;
    std::stop_source drain_;  // no new task is begun
    std::mutex look_mutex_;   // one job at a time looks at the queue
    DecorrelatedJitter pauses_;
    BootTime idle_until_{};

    std::mutex mutex_;  // for everything below
    std::condition_variable changed_;
    std::size_t busy_ = 0;     // jobs that have a task
    std::size_t working_ = 0;  // jobs that have not ended
    std::uint64_t begun_ = 0;
    int signal_ = 0;
    bool hurry_ = false;  // a second signal
    WorkTotals totals_;
    std::optional<WorkerFailure> failure_;
};

}  // namespace azlock::ops
