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
    Run(std::size_t n_items, std::stop_token outer, const ItemFunction& fn)
        : n_items_(n_items), fn_(fn), forward_(std::move(outer), Forward{&stop_}) {}

    void work() noexcept {
        try {
            while (!stop_.stop_requested()) {
                const std::size_t item = next_.fetch_add(1);
                if (item >= n_items_) return;
                Status status = fn_(item, stop_.get_token());
                if (status) {
                    finished_.fetch_add(1);
                } else {
                    keep([&] {
                        if (!error_) error_ = std::move(status.error());
                    });
                }
            }
        } catch (...) {
            keep([&] {
                if (!exception_) exception_ = std::current_exception();
            });
        }
    }

    // After all threads have been joined.
    Status result() {
        if (exception_) std::rethrow_exception(exception_);
        if (error_) return fail(std::move(*error_));
        if (finished_.load() < n_items_) return fail(ErrorCode::cancelled, "stopped before it was done");
        return {};
    }

  private:
    struct Forward {
        std::stop_source* to;
        void operator()() const noexcept { to->request_stop(); }
    };

    template <typename Store>
    void keep(Store store) {
        const std::lock_guard lock(mutex_);
        store();
        stop_.request_stop();
    }

    const std::size_t n_items_;
    const ItemFunction& fn_;
    std::stop_source stop_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> finished_{0};
    std::mutex mutex_;
    std::optional<Error> error_;
    std::exception_ptr exception_;
    std::stop_callback<Forward> forward_;  // last: it may fire at once
};

}  // namespace

Status run_parallel(std::size_t n_threads, std::size_t n_items, std::stop_token outer, const ItemFunction& fn) {
    Run run(n_items, std::move(outer), fn);
    {
        std::vector<std::jthread> helpers;
        try {
            for (std::size_t i = 1; i < std::min(n_threads, n_items); ++i) helpers.emplace_back([&run] { run.work(); });
        } catch (const std::system_error&) {
            // No more threads to be had: the ones that run, and this one, do it all.
        }
        run.work();
    }
    return run.result();
}

}  // namespace azlock
