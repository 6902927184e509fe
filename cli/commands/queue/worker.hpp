// A worker: takes tasks and runs them, several at once where there are several guards, until it is to end.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

#include "cli/commands/queue/task_run.hpp"
#include "cli/program/context.hpp"
#include "ops/lock/wait.hpp"
#include "ops/queue/scan.hpp"

namespace azlock::cli {

struct WorkLimits {
    bool drain = false;                       // end when nothing is ready any more
    std::optional<std::uint64_t> tasks;       // end after so many
    std::chrono::milliseconds poll{10'000};   // the longest pause between two looks at an empty queue
    std::chrono::milliseconds grace{25'000};  // after the first signal, for what runs
};

struct WorkTotals {
    std::uint64_t done = 0;
    std::uint64_t given_back = 0;
    std::uint64_t dead = 0;
    std::uint64_t lost = 0;
};

class QueueWorker {
  public:
    QueueWorker(Context& context, const WorkPlan& plan, const WorkLimits& limits);

    // Returns when everything that it ran has ended. Error: what kept it from going on; cancelled after a signal.
    [[nodiscard]] Status run();
    [[nodiscard]] const WorkTotals& totals() const { return totals_; }
    [[nodiscard]] int signal() const { return signal_; }
    [[nodiscard]] std::optional<int> fatal_code() const { return fatal_code_; }

  private:
    struct Job {
        explicit Job(os::Guard& its_guard) : guard(its_guard) {}
        os::Guard& guard;
        JobSignals signals;
    };

    void on_signal(int number);
    void work(Job& job);
    // The next task; nullopt: this job is to end.
    [[nodiscard]] std::optional<ops::QueueTask> next();
    [[nodiscard]] bool pause(bool failed);
    [[nodiscard]] bool wait_for_others();
    void count(const ops::QueueTask& task, const TaskEnd& end, std::chrono::nanoseconds took);
    void fail_worker(const Error& error, std::optional<int> code);
    void supervise();
    [[nodiscard]] bool reserve();
    void give_reservation_back();

    Context& context_;
    const WorkPlan& plan_;
    WorkLimits limits_;
    ops::QueueScanner scanner_;
    std::deque<Job> jobs_;
    std::stop_source drain_;  // nothing new is begun
    std::mutex look_mutex_;   // one looks at a time
    std::optional<ops::WaitPauses> pauses_;
    BootTime idle_until_{};
    int failures_ = 0;  // of looks, in a row

    std::mutex mutex_;  // of what follows
    std::condition_variable changed_;
    std::size_t busy_ = 0;     // jobs that have a task
    std::size_t working_ = 0;  // jobs that have not ended
    std::uint64_t begun_ = 0;
    int signal_ = 0;
    bool hurry_ = false;  // a second signal
    WorkTotals totals_;
    std::optional<Error> error_;
    std::optional<int> fatal_code_;
};

}  // namespace azlock::cli
