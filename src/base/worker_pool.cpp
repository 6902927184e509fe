#include "base/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace azlock {
namespace {

class Run {
  public:
    Run(std::stop_token outer, const WorkFunction& fn)
        : fn_(fn), forward_(std::move(outer), [this] { stop_.request_stop(); }) {}

    void work() noexcept {
        try {
            while (!stop_.stop_requested() && !at_end_) {
                auto more = fn_(stop_.get_token());
                if (!more) {
                    keep([&] {
                        if (!error_) error_ = std::move(more.error());
                    });
                } else if (!*more) {
                    at_end_ = true;
                }
            }
        } catch (...) {
            keep([&] {
                if (!exception_) exception_ = std::current_exception();
            });
        }
    }

    // Call it after all threads have been joined.
    Status result() {
        if (exception_) std::rethrow_exception(exception_);
        if (error_) return fail(std::move(*error_));
        if (!at_end_) return fail(ErrorCode::cancelled, "stopped before the work was done");
        return {};
    }

  private:
    template <typename Store>
    void keep(Store store) {
        const std::lock_guard lock(mutex_);
        store();
        stop_.request_stop();
    }

    const WorkFunction& fn_;
    std::stop_source stop_;
    std::atomic<bool> at_end_{false};
    std::mutex mutex_;
    std::optional<Error> error_;
    std::exception_ptr exception_;
    std::stop_callback<std::function<void()>> forward_;  // last: it may fire at once
};

}  // namespace

Status run_workers(std::size_t n_threads, std::stop_token outer, const WorkFunction& fn) {
    Run run(std::move(outer), fn);
    {
        std::vector<std::jthread> helpers;
        try {
            for (std::size_t i = 1; i < n_threads; ++i) helpers.emplace_back([&run] { run.work(); });
        } catch (const std::system_error&) {
            // The system gives no more threads. The running ones and this one do all the work.
        }
        run.work();
    }
    return run.result();
}

Status run_parallel(std::size_t n_threads, std::size_t n_items, std::stop_token outer, const ItemFunction& fn) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> finished{0};
    auto status =
        run_workers(std::min(n_threads, n_items), std::move(outer), [&](std::stop_token stop) -> Result<bool> {
            const std::size_t item = next.fetch_add(1);
            if (item >= n_items) return false;
            if (auto done = fn(item, std::move(stop)); !done) return fail(std::move(done.error()));
            return finished.fetch_add(1) + 1 < n_items;
        });
    // The stop came when all items were done.
    if (!status && status.error().code == ErrorCode::cancelled && finished == n_items) return {};
    return status;
}

}  // namespace azlock
