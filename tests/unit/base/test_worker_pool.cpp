// base/worker_pool: order, bounds, first error, stop and exceptions of run_parallel().
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/worker_pool.hpp"
#include "support/catch.hpp"

using namespace azlock;

namespace {

// Waits until a number of threads have arrived. If one is missing, a generous deadline makes it a failure, not a hang.
class Meeting {
  public:
    explicit Meeting(std::size_t expected) : expected_(expected) {}
    bool arrive() {
        std::unique_lock lock(mutex_);
        ++here_;
        changed_.notify_all();
        return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return here_ >= expected_; });
    }

  private:
    const std::size_t expected_;
    std::size_t here_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
};

bool wait_for_stop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, std::chrono::seconds(60), [] { return false; });
    return stop.stop_requested();
}

}  // namespace

TEST_CASE("every item is run exactly once, whatever the number of threads") {
    for (const std::size_t threads : {0U, 1U, 2U, 7U, 64U}) {
        for (const std::size_t items : {0U, 1U, 5U, 1'000U}) {
            std::vector<std::atomic<int>> runs(items);
            const Status status = run_parallel(threads, items, {}, [&](std::size_t item, std::stop_token) -> Status {
                runs[item].fetch_add(1);
                return {};
            });
            CHECK(status);
            CHECK(std::all_of(runs.begin(), runs.end(), [](const auto& n) { return n.load() == 1; }));
        }
    }
}

TEST_CASE("one thread is the caller's own and goes through the items in order") {
    std::vector<std::size_t> order;
    const auto caller = std::this_thread::get_id();
    const Status status = run_parallel(1, 100, {}, [&](std::size_t item, std::stop_token) -> Status {
        if (std::this_thread::get_id() != caller) return fail(ErrorCode::internal, "another thread");
        std::this_thread::yield();  // lets another thread run, if there is one
        order.push_back(item);
        return {};
    });
    CHECK(status);
    std::vector<std::size_t> expected(100);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    CHECK(order == expected);
}

TEST_CASE("as many items as threads are in progress at once, the caller's thread among them, and no more") {
    Meeting all(4);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    const Status status = run_parallel(4, 2'000, {}, [&](std::size_t item, std::stop_token) -> Status {
        const int running = now.fetch_add(1) + 1;
        int seen = most.load();
        while (running > seen && !most.compare_exchange_weak(seen, running)) {
        }
        {
            const std::lock_guard lock(mutex);
            ids.insert(std::this_thread::get_id());
        }
        const bool met = item >= 4 || all.arrive();
        std::this_thread::yield();  // lets a fifth thread run, if there is one
        now.fetch_sub(1);
        return met ? Status{} : fail(ErrorCode::internal, "the four never met");
    });
    CHECK(status);
    CHECK(most.load() == 4);
    CHECK(ids.size() == 4);
    CHECK(ids.count(std::this_thread::get_id()) == 1);
}

TEST_CASE("the first error in time is returned and tells the running items to stop") {
    Meeting both(2);
    std::atomic<bool> other_was_told{false};
    std::atomic<std::size_t> begun{0};
    const Status status = run_parallel(2, 1'000, {}, [&](std::size_t item, std::stop_token stop) -> Status {
        begun.fetch_add(1);
        if (!both.arrive()) return fail(ErrorCode::internal, "nobody else came");
        if (item == 1) return fail(ErrorCode::data, "the first");
        other_was_told = wait_for_stop(stop);
        return fail(ErrorCode::cancelled, "the second");
    });
    REQUIRE_FALSE(status);
    CHECK(status.error().message == "the first");
    CHECK(other_was_told);
    CHECK(begun == 2);
}

TEST_CASE("after an error no further item begins") {
    std::size_t begun = 0;
    const Status status = run_parallel(1, 10, {}, [&](std::size_t item, std::stop_token) -> Status {
        ++begun;
        if (item == 3) return fail(ErrorCode::io, "third");
        return {};
    });
    REQUIRE_FALSE(status);
    CHECK(begun == 4);
}

TEST_CASE("a stop from outside reaches the items; left-over items make the result 'cancelled'") {
    std::stop_source outer;
    std::atomic<std::size_t> begun{0};
    std::atomic<bool> all_were_told{true};
    const Status status =
        run_parallel(3, 100, outer.get_token(), [&](std::size_t item, std::stop_token stop) -> Status {
            begun.fetch_add(1);
            if (item == 0) outer.request_stop();
            if (!wait_for_stop(stop)) all_were_told = false;
            return {};
        });
    REQUIRE_FALSE(status);
    CHECK(status.error().code == ErrorCode::cancelled);
    CHECK(begun <= 3);
    CHECK(all_were_told);
}

TEST_CASE("with a stop before the start nothing runs") {
    std::stop_source outer;
    outer.request_stop();
    bool ran = false;
    const auto fn = [&](std::size_t, std::stop_token) -> Status {
        ran = true;
        return {};
    };
    const Status status = run_parallel(2, 5, outer.get_token(), fn);
    REQUIRE_FALSE(status);
    CHECK(status.error().code == ErrorCode::cancelled);
    CHECK_FALSE(ran);
    CHECK(run_parallel(2, 0, outer.get_token(), fn));
}

TEST_CASE("a stop that comes when everything is done changes nothing") {
    std::stop_source outer;
    const Status status = run_parallel(1, 3, outer.get_token(), [&](std::size_t item, std::stop_token) -> Status {
        if (item == 2) outer.request_stop();
        return {};
    });
    CHECK(status);
}

TEST_CASE("an exception is thrown again on the caller after every thread has ended") {
    Meeting both(2);
    std::atomic<int> running{0};
    const auto fn = [&](std::size_t item, std::stop_token stop) -> Status {
        running.fetch_add(1);
        both.arrive();
        if (item == 1) {
            running.fetch_sub(1);
            throw std::runtime_error("a bug");
        }
        wait_for_stop(stop);
        running.fetch_sub(1);
        return fail(ErrorCode::cancelled, "stopped");
    };
    CHECK_THROWS_AS((void)run_parallel(2, 50, {}, fn), std::runtime_error);
    CHECK(running == 0);
}
