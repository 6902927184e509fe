#include "ops/lock/helper_threads.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <system_error>

namespace azlock::ops {
namespace {

constexpr std::chrono::seconds kLastWords{3};

}  // namespace

HelperThreads::HelperThreads(std::size_t count, Starter start) : start_(std::move(start)) {
    try {
        const std::lock_guard lock(mutex_);
        while (threads_.size() < count) add_thread();
    } catch (...) {
        stop_all();
        throw;
    }
}

HelperThreads::~HelperThreads() {
    stop_all();
}

void HelperThreads::stop_all() {
    stop_.request_stop();
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void HelperThreads::run(Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    try {
        if (jobs_.size() > idle_) add_thread();
    } catch (const std::system_error&) {
        // One of the others takes the job.
    } catch (const std::bad_alloc&) {
    }
    changed_.notify_one();
}

void HelperThreads::add_thread() {
    threads_.reserve(threads_.size() + 1);
    threads_.push_back(start_([this] { work(); }));
    ++idle_;
}

void HelperThreads::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return done_ || !jobs_.empty(); });
        if (done_) return;
        --idle_;
        const Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        try {
            job(stop_.get_token());
        } catch (const std::exception&) {
            // No memory is left: nobody hears of this job, as if its request were never answered.
        }
        lock.lock();
        ++idle_;
    }
}

Voice::Voice(std::function<void(const std::string&)> say) : state_(std::make_shared<State>()) {
    state_->say = std::move(say);
    std::thread([state = state_] {
        std::unique_lock lock(state->mutex);
        for (;;) {
            state->changed.wait(lock, [&] { return state->done || !state->lines.empty(); });
            if (state->lines.empty()) return;
            const std::string line = std::move(state->lines.front());
            state->lines.pop_front();
            state->busy = true;
            lock.unlock();
            try {
                state->say(line);
            } catch (const std::bad_alloc&) {
                // The line does not fit into the memory that is left.
            }
            lock.lock();
            state->busy = false;
            state->changed.notify_all();
        }
    }).detach();
}

Voice::~Voice() {
    std::unique_lock lock(state_->mutex);
    state_->done = true;
    state_->changed.notify_all();
    state_->changed.wait_for(lock, kLastWords, [this] { return state_->lines.empty() && !state_->busy; });
}

void Voice::tell(std::string text) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->lines.push_back(std::move(text));
    }
    state_->changed.notify_all();
}

}  // namespace azlock::ops
