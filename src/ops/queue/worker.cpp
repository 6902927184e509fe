#include "ops/queue/worker.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#include <unistd.h>

#include "base/backoff.hpp"
#include "base/quantity.hpp"
#include "base/system_limit.hpp"
#include "base/text.hpp"
#include "ops/lease/sas_limits.hpp"
#include "ops/queue/job_signals.hpp"
#include "ops/queue/scan.hpp"

namespace azlock::ops {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kShortestPause{250};  // between two looks at an empty queue
// A worker that is to end by itself ends after so many tasks in a row that it could not claim or start.
constexpr int kMostTroubles = 8;

bool asks_to_stop(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

class QueueWorker {
  public:
    QueueWorker(const WorkPlan& plan, const WorkLimits& limits, const WorkerParts& parts)
        : plan_(plan),
          limits_(limits),
          parts_(parts),
          clock_(plan.queue.many.clock()),
          scanner_(plan.queue),
          pauses_(plan.queue.many.random(), std::min<nanoseconds>(kShortestPause, limits.poll), limits.poll,
                  kShortestPause),
          trouble_pauses_(plan.queue.many.random(), std::min<nanoseconds>(kShortestPause, limits.poll), limits.poll,
                          kShortestPause) {
        for (os::Guard& guard : parts_.guards) jobs_.emplace_back(guard);
    }

    WorkResult run() {
        parts_.signals.hand_over([this](int number) { on_signal(number); });
        if (parts_.signals.received() != 0) {
            parts_.signals.hand_over({});
            result_.outcome = fail(stopped_by_signal());
            return result_;
        }
        const std::string early = describe_early_end(plan_.queue.many.credential(), clock_.wall());
        if (!early.empty()) parts_.tell(early + ": no task can run after that");
        {
            std::vector<std::jthread> threads;
            working_ = jobs_.size();
            for (Job& job : jobs_) {
                try {
                    threads.emplace_back([this, &job] {
                        try {
                            work(job);
                        } catch (const std::exception& thrown) {
                            fail_worker(thrown);
                        }
                        job_is_over();
                    });
                } catch (const std::exception& thrown) {
                    fail_worker(thrown);
                    job_is_over();
                }
            }
            supervise();
        }
        parts_.signals.hand_over([](int) {});
        if (result_.signal != 0) result_.outcome = fail(stopped_by_signal());
        if (result_.failure) result_.outcome = fail(result_.failure->error);
        result_.some_failed = result_.outcome && (result_.totals.dead > 0 || result_.totals.refused > 0);
        return result_;
    }

  private:
    struct Job {
        explicit Job(os::Guard& its_guard) : guard(its_guard) {}
        os::Guard& guard;
        JobSignals signals;
    };

    void on_signal(int number) {
        if (number == SIGTSTP) {
            kill(getpid(), SIGSTOP);  // as without a handler; the guards end commands whose lease is not renewed
            return;
        }
        if (!asks_to_stop(number)) return;
        const std::lock_guard lock(mutex_);
        if (result_.signal != 0) hurry_ = true;
        if (result_.signal == 0) result_.signal = number;
        changed_.notify_all();
    }

    // Runs in the main thread and acts on signals.
    void supervise() {
        std::unique_lock lock(mutex_);
        const auto over = [&] { return working_ == 0; };
        changed_.wait(lock, [&] { return over() || result_.signal != 0; });
        if (over()) return;
        drain_.request_stop();
        if (busy_ > 0) {
            parts_.tell("stopping: running tasks have " + format_duration(limits_.grace) +
                        " to end; another signal gives them back at once");
        }
        changed_.wait_for(lock, limits_.grace, [&] { return over() || hurry_; });
        // The first TERM ends the command; the second one, kill_after later, kills it.
        for (int look = 0; look < 2 && !over(); ++look) {
            lock.unlock();
            for (Job& job : jobs_) job.signals.send(SIGTERM);
            lock.lock();
            changed_.wait_for(lock, plan_.timing.kill_after, over);
        }
        changed_.wait(lock, over);
    }

    void work(Job& job) {
        const Claimer claimer(plan_.queue, plan_.timing);
        const azure::Call call{parts_.deadline, drain_.get_token()};
        while (reserve()) {
            const auto listed = next();
            if (!listed) break;
            const BootTime start = clock_.now();
            auto claimed = claimer.lease(*listed, call);
            const bool refused = !claimed && claimed.error().code == ErrorCode::precondition;
            if (!refused && (!claimed || !*claimed)) {
                scanner_.missed();
                give_reservation_back();
                if (claimed || claimed.error().code == ErrorCode::cancelled) continue;
                if (claimed.error().code != ErrorCode::unavailable) return fail_worker({claimed.error()});
                parts_.tell("cannot claim a task: " + claimed.error().message);
                ride_out(claimed.error());
                continue;
            }
            scanner_.took();
            {
                const std::lock_guard lock(mutex_);
                ++busy_;
            }
            TaskEnd end{TaskEnd::Kind::refused};
            if (refused) {
                end.why = claimed.error();
            } else {
                end = run_task(plan_, std::move(**claimed), job.guard, job.signals, parts_.tell, call);
            }
            scanner_.ended();
            if (end.kind == TaskEnd::Kind::refused) scanner_.leave_out(*listed);
            if (end.kind == TaskEnd::Kind::undeleted) {
                QueueTask left = *listed;
                left.etag = end.etag;
                scanner_.leave_out(left);
            }
            count(*listed, end, clock_.now() - start);
            if (end.fatal) return fail_worker(*end.fatal);
            const bool not_started = end.kind == TaskEnd::Kind::not_started;
            const bool left_over = end.kind == TaskEnd::Kind::undeleted && !end.exit_code;
            if (not_started || left_over || end.kind == TaskEnd::Kind::gone || end.kind == TaskEnd::Kind::refused) {
                give_reservation_back();
            }
            if (!not_started) {
                const std::lock_guard lock(mutex_);
                troubles_ = 0;
                trouble_pauses_.reset();
            } else if (end.why && end.why->code == ErrorCode::unavailable) {
                ride_out(*end.why);
            }
        }
    }

    // The service does not let us run a task: waits before the next one, or ends the worker.
    void ride_out(const Error& error) {
        std::unique_lock lock(mutex_);
        const nanoseconds pause = trouble_pauses_.next();
        const bool too_often = ++troubles_ >= kMostTroubles;
        lock.unlock();
        if (too_often && (limits_.drain || limits_.tasks)) return fail_worker({error});
        (void)clock_.wait_until(std::min(clock_.after(pause), parts_.deadline), drain_.get_token());
    }

    bool reserve() {
        const std::lock_guard lock(mutex_);
        if (drain_.stop_requested() || (limits_.tasks && begun_ >= *limits_.tasks)) return false;
        ++begun_;
        return true;
    }

    void give_reservation_back() {
        const std::lock_guard lock(mutex_);
        --begun_;
    }

    // Nothing is claimed before it is known that contents can be kept and outputs stored.
    Result<std::optional<QueueTask>> find_task_to_run(const azure::Call& call) {
        if (!scratch_checked_) {
            const auto scratch = ContentFile::create_in_memory();
            if (!scratch) return fail(scratch.error());
            if (auto ok = (*scratch)->append(as_bytes("x")); !ok) return fail(ok.error());
            scratch_checked_ = true;
        }
        if (plan_.output && !output_checked_) {
            if (auto ok = check_output(*plan_.output, call); !ok) {
                Error error = ok.error();
                error.message =
                    "outputs cannot be stored in " + printable(plan_.output->prefix.to_string()) + ": " + error.message;
                return fail(error);
            }
            output_checked_ = true;
        }
        return scanner_.next(call);
    }

    std::optional<QueueTask> next() {
        const azure::Call call{parts_.deadline, drain_.get_token()};
        while (!drain_.stop_requested()) {
            if (clock_.now() >= call.deadline) {
                fail_worker({deadline_passed()});
                break;
            }
            std::unique_lock look(look_mutex_);
            if (clock_.now() >= idle_until_) {
                const Activity before = activity();
                auto found = find_task_to_run(call);
                if (found && *found) {
                    pauses_.reset();
                    return std::move(**found);
                }
                if (!found) {
                    const Error& error = found.error();
                    if (error.code == ErrorCode::cancelled) break;
                    if (error.code != ErrorCode::unavailable || limits_.drain) {
                        fail_worker({error});
                        break;
                    }
                    parts_.tell("cannot look at the queue: " + error.message);
                } else if (limits_.drain) {
                    if (const Activity now = activity(); before.busy > 0 || now != before) {
                        look.unlock();
                        if (!wait_for_our_tasks(now)) break;
                        continue;
                    }
                    if (!is_worth_waiting(scanner_.rest())) break;
                }
                BootTime until = clock_.after(pauses_.next());
                if (found) until = std::max(clock_.now(), std::min(until, scanner_.rest().due));
                idle_until_ = until;
            }
            const BootTime until = idle_until_;
            look.unlock();
            if (!clock_.wait_until(std::min(until, call.deadline), drain_.get_token())) break;
        }
        give_reservation_back();
        return std::nullopt;
    }

    // What our own jobs did up to a moment.
    struct Activity {
        std::size_t busy = 0;
        WorkTotals totals;
        friend bool operator==(const Activity&, const Activity&) = default;
    };
    Activity activity() {
        const std::lock_guard lock(mutex_);
        return {busy_, result_.totals};
    }

    // Waits while as many of our tasks run as in `now`: one that has ended may have been given back. False: it is over.
    bool wait_for_our_tasks(const Activity& now) {
        std::unique_lock lock(mutex_);
        changed_.wait(
            lock, [&] { return busy_ == 0 || result_.signal != 0 || result_.failure || result_.totals != now.totals; });
        return result_.signal == 0 && !result_.failure;
    }

    // Whether a queue of which nothing is ready may still have work for --drain.
    [[nodiscard]] bool is_worth_waiting(const QueueScanner::Rest& rest) const {
        return rest.pausing > 0 || (rest.running > 0 && !limits_.no_wait) || (rest.delayed > 0 && limits_.delayed);
    }

    void count(const QueueTask& task, const TaskEnd& end, nanoseconds took) {
        {
            const std::lock_guard lock(mutex_);
            --busy_;
            switch (end.kind) {
                case TaskEnd::Kind::done: ++result_.totals.done; break;
                case TaskEnd::Kind::not_started:
                case TaskEnd::Kind::given_back: ++result_.totals.given_back; break;
                case TaskEnd::Kind::dead: ++result_.totals.dead; break;
                case TaskEnd::Kind::undeleted:
                case TaskEnd::Kind::refused: ++result_.totals.refused; break;
                case TaskEnd::Kind::gone: break;
                case TaskEnd::Kind::lost:
                case TaskEnd::Kind::unknown: ++result_.totals.lost; break;
            }
            changed_.notify_all();
        }
        parts_.report(task, end, duration_cast<milliseconds>(took));
    }

    void job_is_over() {
        const std::lock_guard lock(mutex_);
        --working_;
        changed_.notify_all();
    }

    // The lease of a task that runs at that time ends by itself, and its guard ends the command.
    void fail_worker(const std::exception& thrown) {
        fail_worker({limit_error(thrown).value_or(make_error(ErrorCode::internal, "the worker threw an exception"))});
    }

    void fail_worker(WorkerFailure failure) {
        {
            const std::lock_guard lock(mutex_);
            if (!result_.failure) result_.failure = std::move(failure);
            changed_.notify_all();
        }
        drain_.request_stop();
    }

    const WorkPlan& plan_;
    const WorkLimits& limits_;
    const WorkerParts& parts_;
    Clock& clock_;
    QueueScanner scanner_;
    std::deque<Job> jobs_;
    std::stop_source drain_;  // no new task is begun
    std::mutex look_mutex_;   // one job at a time looks at the queue
    bool scratch_checked_ = false;
    bool output_checked_ = false;
    DecorrelatedJitter pauses_;
    BootTime idle_until_{};

    std::mutex mutex_;  // for everything below
    std::condition_variable changed_;
    std::size_t busy_ = 0;     // jobs that have a task
    std::size_t working_ = 0;  // jobs that have not ended
    std::uint64_t begun_ = 0;
    int troubles_ = 0;  // since a task was run
    DecorrelatedJitter trouble_pauses_;
    bool hurry_ = false;  // a second signal
    WorkResult result_;
};

}  // namespace

WorkResult run_worker(const WorkPlan& plan, const WorkLimits& limits, const WorkerParts& parts) {
    return QueueWorker(plan, limits, parts).run();
}

}  // namespace azlock::ops
