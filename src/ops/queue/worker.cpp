#include "ops/queue/worker.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <unistd.h>

#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kShortestPause{250};  // between two looks at an empty queue

bool asks_to_stop(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

}  // namespace

QueueWorker::QueueWorker(const WorkPlan& plan, const WorkLimits& limits, WorkerParts parts)
    : plan_(plan),
      limits_(limits),
      parts_(std::move(parts)),
      clock_(plan.clients.many.clock()),
      scanner_(plan.clients.many, plan.queue),
      pauses_(plan.clients.many.random(), std::min<nanoseconds>(kShortestPause, limits.poll), limits.poll,
              kShortestPause) {
    for (os::Guard& guard : parts_.guards) jobs_.emplace_back(guard);
}

Status QueueWorker::run() {
    parts_.signals.hand_over([this](int number) { on_signal(number); });
    if (parts_.signals.received() != 0) {
        parts_.signals.hand_over({});
        return fail(stopped_by_signal());
    }
    {
        std::vector<std::jthread> threads;
        working_ = jobs_.size();
        for (Job& job : jobs_) {
            threads.emplace_back([this, &job] {
                work(job);
                const std::lock_guard lock(mutex_);
                --working_;
                changed_.notify_all();
            });
        }
        supervise();
    }
    parts_.signals.hand_over([](int) {});
    if (failure_) return fail(failure_->error);
    if (signal_ != 0) return fail(stopped_by_signal());
    return {};
}

void QueueWorker::on_signal(int number) {
    if (number == SIGTSTP) {
        kill(getpid(), SIGSTOP);  // as without a handler; the guards end commands whose lease is not renewed
        return;
    }
    if (!asks_to_stop(number)) return;
    const std::lock_guard lock(mutex_);
    if (signal_ != 0) hurry_ = true;
    signal_ = signal_ != 0 ? signal_ : number;
    changed_.notify_all();
}

// Runs in the main thread and acts on signals.
void QueueWorker::supervise() {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return working_ == 0; };
    changed_.wait(lock, [&] { return over() || signal_ != 0; });
    if (over()) return;
    drain_.request_stop();
    if (busy_ > 0) {
        parts_.tell("stopping: running tasks have " + format_duration(limits_.grace) +
                    " to end; another signal gives them back at once");
    }
    changed_.wait_for(lock, limits_.grace, [&] { return over() || hurry_; });
    // The first TERM ends the command; the second one, kill_after later, kills it.
    for (int round = 0; round < 2 && !over(); ++round) {
        lock.unlock();
        for (Job& job : jobs_) job.signals.send(SIGTERM);
        lock.lock();
        changed_.wait_for(lock, plan_.timing.kill_after, over);
    }
    changed_.wait(lock, over);
}

void QueueWorker::work(Job& job) {
    TaskRun runner(plan_, job.guard, job.signals, parts_.tell);
    const azure::Call call{parts_.deadline, drain_.get_token()};
    while (reserve()) {
        const auto listed = next();
        if (!listed) break;
        const BootTime start = clock_.now();
        auto claimed = runner.claim(*listed, call);
        if (!claimed || !*claimed) {
            scanner_.missed();
            give_reservation_back();
            if (claimed || claimed.error().code == ErrorCode::cancelled) continue;
            if (claimed.error().code != ErrorCode::unavailable) return fail_worker({claimed.error()});
            parts_.tell("cannot claim a task: " + claimed.error().message);
            continue;
        }
        scanner_.took();
        {
            const std::lock_guard lock(mutex_);
            ++busy_;
        }
        const TaskEnd end = runner.run(std::move(**claimed), call);
        scanner_.ended();
        count(*listed, end, clock_.now() - start);
        if (end.fatal) return fail_worker(*end.fatal);
    }
}

bool QueueWorker::reserve() {
    const std::lock_guard lock(mutex_);
    if (drain_.stop_requested() || (limits_.tasks && begun_ >= *limits_.tasks)) return false;
    ++begun_;
    return true;
}

void QueueWorker::give_reservation_back() {
    const std::lock_guard lock(mutex_);
    --begun_;
}

std::optional<QueueTask> QueueWorker::next() {
    const azure::Call call{parts_.deadline, drain_.get_token()};
    while (!drain_.stop_requested()) {
        std::unique_lock look(look_mutex_);
        if (clock_.now() >= idle_until_) {
            auto found = scanner_.next(call);
            if (found && *found) {
                pauses_.reset();
                return std::move(**found);
            }
            if (!found) {
                const Error& error = found.error();
                if (error.code == ErrorCode::cancelled) break;
                if (error.code != ErrorCode::unavailable || limits_.drain || clock_.now() >= call.deadline) {
                    fail_worker({error});
                    break;
                }
                parts_.tell("cannot look at the queue: " + error.message);
            } else if (limits_.drain) {
                look.unlock();
                if (!wait_for_others()) break;
                continue;
            }
            BootTime until = clock_.after(pauses_.next());
            if (found) until = std::max(clock_.now(), std::min(until, scanner_.next_due()));
            idle_until_ = until;
        }
        const BootTime until = idle_until_;
        look.unlock();
        if (!clock_.wait_until(std::min(until, call.deadline), drain_.get_token())) break;
    }
    give_reservation_back();
    return std::nullopt;
}

// Waits while no task is ready. True: one of our tasks has ended, and may have been given back.
bool QueueWorker::wait_for_others() {
    std::unique_lock lock(mutex_);
    if (busy_ == 0) return false;
    const auto ended = totals_;
    const auto count_of = [](const WorkTotals& t) { return t.done + t.given_back + t.dead + t.lost; };
    changed_.wait(lock, [&] { return signal_ != 0 || failure_ || count_of(totals_) != count_of(ended); });
    return signal_ == 0 && !failure_;
}

void QueueWorker::count(const QueueTask& task, const TaskEnd& end, nanoseconds took) {
    {
        const std::lock_guard lock(mutex_);
        --busy_;
        switch (end.kind) {
            case TaskEnd::Kind::done: ++totals_.done; break;
            case TaskEnd::Kind::given_back: ++totals_.given_back; break;
            case TaskEnd::Kind::dead: ++totals_.dead; break;
            default: ++totals_.lost;
        }
        changed_.notify_all();
    }
    parts_.report(task, end, duration_cast<milliseconds>(took));
}

void QueueWorker::fail_worker(WorkerFailure failure) {
    {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(failure);
        changed_.notify_all();
    }
    drain_.request_stop();
}

}  // namespace azlock::ops
