#include "cli/commands/queue/worker.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <unistd.h>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

bool asks_to_stop(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

}  // namespace

QueueWorker::QueueWorker(Context& context, const WorkPlan& plan, const WorkLimits& limits)
    : context_(context),
      plan_(plan),
      limits_(limits),
      scanner_(plan.clients.many, plan.queue),
      pauses_(std::in_place, plan.clients.many.random(), limits.poll) {
    for (os::Guard& guard : context.guards()) jobs_.emplace_back(guard);
}

Status QueueWorker::run() {
    context_.signals().hand_over([this](int number) { on_signal(number); });
    if (context_.signals().received() != 0) {
        context_.signals().hand_over({});
        return fail(ErrorCode::cancelled, "stopped by a signal");
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
    context_.signals().hand_over([](int) {});
    if (error_) return fail(*error_);
    if (signal_ != 0) return fail(ErrorCode::cancelled, "stopped by a signal");
    return {};
}

void QueueWorker::on_signal(int number) {
    if (number == SIGTSTP) {
        kill(getpid(), SIGSTOP);  // as without us; the guards end what nobody keeps the lease of
        return;
    }
    if (!asks_to_stop(number)) return;
    const std::lock_guard lock(mutex_);
    if (signal_ != 0) hurry_ = true;
    signal_ = signal_ != 0 ? signal_ : number;
    changed_.notify_all();
}

// The main thread: what follows from signals.
void QueueWorker::supervise() {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return working_ == 0; };
    changed_.wait(lock, [&] { return over() || signal_ != 0; });
    if (over()) return;
    drain_.request_stop();
    if (busy_ > 0) {
        context_.output().notice("stopping: what runs has " + format_duration(limits_.grace) +
                                 " to end; another signal gives it back at once");
    }
    changed_.wait_for(lock, limits_.grace, [&] { return over() || hurry_; });
    // TERM, and KILL when the command has had its time.
    for (int round = 0; round < 2 && !over(); ++round) {
        lock.unlock();
        for (Job& job : jobs_) job.signals.send(SIGTERM);
        lock.lock();
        changed_.wait_for(lock, plan_.timing.kill_after, over);
    }
    changed_.wait(lock, over);
}

void QueueWorker::work(Job& job) {
    TaskRun runner(plan_, job.guard, job.signals, context_.output());
    const azure::Call call{context_.call().deadline, drain_.get_token()};
    while (reserve()) {
        const auto listed = next();
        if (!listed) break;
        const BootTime start = context_.clock().now();
        auto claimed = runner.claim(*listed, call);
        if (!claimed || !*claimed) {
            scanner_.missed();
            give_reservation_back();
            if (claimed || claimed.error().code == ErrorCode::cancelled) continue;
            if (claimed.error().code != ErrorCode::unavailable) return fail_worker(claimed.error(), {});
            context_.output().notice("cannot claim a task: " + claimed.error().message);
            continue;
        }
        scanner_.took();
        {
            const std::lock_guard lock(mutex_);
            ++busy_;
        }
        const TaskEnd end = runner.run(std::move(**claimed), call);
        scanner_.ended();
        count(*listed, end, context_.clock().now() - start);
        if (end.fatal) return fail_worker(*end.fatal, end.fatal_code);
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

std::optional<ops::QueueTask> QueueWorker::next() {
    const azure::Call call{context_.call().deadline, drain_.get_token()};
    while (!drain_.stop_requested()) {
        std::unique_lock look(look_mutex_);
        if (context_.clock().now() >= idle_until_) {
            auto found = scanner_.next(call);
            if (found && *found) {
                pauses_.emplace(plan_.clients.many.random(), limits_.poll);
                failures_ = 0;
                return std::move(**found);
            }
            if (!found) {
                const Error& error = found.error();
                if (error.code == ErrorCode::cancelled) break;
                if (error.code != ErrorCode::unavailable || limits_.drain || context_.clock().now() >= call.deadline) {
                    fail_worker(error, {});
                    break;
                }
                context_.output().notice("cannot look at the queue: " + error.message);
            } else if (limits_.drain) {
                look.unlock();
                if (!wait_for_others()) break;
                continue;
            }
            BootTime until = context_.clock().after(pauses_->next(false));
            if (found) until = std::max(context_.clock().now(), std::min(until, scanner_.next_due()));
            idle_until_ = until;
        }
        const BootTime until = idle_until_;
        look.unlock();
        if (!context_.clock().wait_until(std::min(until, call.deadline), drain_.get_token())) break;
    }
    give_reservation_back();
    return std::nullopt;
}

// Nothing is ready. True: one of our tasks has ended since, and may have been given back.
bool QueueWorker::wait_for_others() {
    std::unique_lock lock(mutex_);
    if (busy_ == 0) return false;
    const auto ended = totals_;
    const auto count_of = [](const WorkTotals& t) { return t.done + t.given_back + t.dead + t.lost; };
    changed_.wait(lock, [&] { return signal_ != 0 || error_ || count_of(totals_) != count_of(ended); });
    return signal_ == 0 && !error_;
}

void QueueWorker::count(const ops::QueueTask& task, const TaskEnd& end, nanoseconds took) {
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
    if (!context_.output().json()) {
        if (end.kind == TaskEnd::Kind::lost || end.kind == TaskEnd::Kind::unknown) {
            context_.output().notice("task " + printable(task.id) +
                                     (end.kind == TaskEnd::Kind::lost
                                          ? ": its lease was lost; it is somebody else's now"
                                          : ": the service did not answer; what became of it is not known"));
        }
        return;
    }
    Json out;
    out["task"] = task.id;
    out["priority"] = task.priority;
    out["attempt"] = end.attempt;
    out["outcome"] = to_string(end.kind);
    out["exit_code"] = end.exit_code ? Json(*end.exit_code) : Json(nullptr);
    out["seconds"] = static_cast<double>(duration_cast<milliseconds>(took).count()) / 1000;
    context_.output().event(out);
}

void QueueWorker::fail_worker(const Error& error, std::optional<int> code) {
    {
        const std::lock_guard lock(mutex_);
        if (!error_) {
            error_ = error;
            fatal_code_ = code;
        }
        changed_.notify_all();
    }
    drain_.request_stop();
}

}  // namespace azlock::cli
