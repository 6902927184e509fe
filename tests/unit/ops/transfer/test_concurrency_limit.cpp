// A ConcurrencyLimit lets in as many threads as it says, in the order in which they come. A stop ends the wait.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "ops/transfer/concurrency_limit.hpp"
#include "support/catch.hpp"
#include "unit/eventually.hpp"

namespace azlock::ops {
namespace {

using test::eventually;

// How many could be inside now.
std::size_t places(ConcurrencyLimit& concurrency) {
    std::stop_source stopped;
    stopped.request_stop();
    std::vector<ConcurrencyLimit::Pass> passes;
    while (auto pass = concurrency.enter(stopped.get_token())) passes.push_back(std::move(pass));
    return passes.size();
}

}  // namespace

TEST_CASE("on a slow line one is inside, and more again once the line carries more") {
    using namespace std::chrono_literals;
    constexpr std::uint64_t kMany = 4ULL * 1024 * 1024;
    ConcurrencyLimit concurrency(3);
    concurrency.carried(kMany, 100s, true);
    CHECK(places(concurrency) == 3);  // it is not known to be slow
    concurrency.line_is_slow();
    CHECK(places(concurrency) == 1);
    CHECK(concurrency.piece() == ConcurrencyLimit::kSmallestPiece);
    concurrency.carried(ConcurrencyLimit::kSmallestPiece, 1s, false);
    CHECK(concurrency.piece() == 4 * ConcurrencyLimit::kSmallestPiece);
    CHECK(places(concurrency) == 1);
    for (int i = 0; i < 5; ++i) concurrency.carried(1000, 100ms, false);  // the ends of blocks
    CHECK(places(concurrency) == 1);
    for (int i = 0; i < 5; ++i) concurrency.carried(1000, 100ms, true);  // small files
    CHECK(places(concurrency) == 3);
    CHECK(concurrency.piece() == 4 * ConcurrencyLimit::kSmallestPiece);
    concurrency.line_is_slow();
    CHECK(places(concurrency) == 1);
}

TEST_CASE("no more are inside a gate than its limit, and every one gets in") {
    ConcurrencyLimit concurrency(3);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> passed{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 12; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 50; ++n) {
                    const auto pass = concurrency.enter({});
                    const int now = ++inside;
                    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                    }
                    std::this_thread::yield();
                    --inside;
                    ++passed;
                }
            });
        }
    }
    CHECK(passed == 600);
    CHECK(most <= 3);
}

TEST_CASE("those who wait at a gate enter in the order in which they came") {
    ConcurrencyLimit concurrency(1);
    std::vector<int> order;
    std::vector<std::jthread> threads;
    {
        const auto first = concurrency.enter({});
        for (int i = 0; i < 5; ++i) {
            threads.emplace_back([&, i] {
                const auto pass = concurrency.enter({});
                order.push_back(i);  // needs no mutex: only one thread is inside
            });
            REQUIRE(eventually([&] { return concurrency.waiting() == static_cast<std::size_t>(i) + 1; }));
        }
    }
    threads.clear();
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_CASE("a stop ends the waiting at a concurrency, and the next in line still gets in") {
    ConcurrencyLimit concurrency(1);
    std::stop_source stop;
    std::atomic<bool> refused{false};
    std::atomic<bool> entered{false};
    auto first = concurrency.enter({});
    {
        std::jthread stopped([&] { refused = concurrency.enter(stop.get_token()) == nullptr; });
        REQUIRE(eventually([&] { return concurrency.waiting() == 1; }));
        std::jthread next([&] { entered = concurrency.enter({}) != nullptr; });
        REQUIRE(eventually([&] { return concurrency.waiting() == 2; }));
        stop.request_stop();
        REQUIRE(eventually([&] { return refused.load(); }));
        CHECK_FALSE(entered);
        first.reset();
    }
    CHECK(entered);
}

TEST_CASE("a raised limit lets the waiting in, a lowered one lets those inside finish") {
    ConcurrencyLimit concurrency(1);
    const auto first = concurrency.enter({});
    std::atomic<bool> entered{false};
    std::jthread second([&] {
        const auto pass = concurrency.enter({});
        entered = true;
    });
    REQUIRE(eventually([&] { return concurrency.waiting() == 1; }));
    CHECK_FALSE(entered);
    concurrency.set_limit(2);
    REQUIRE(eventually([&] { return entered.load(); }));
    concurrency.set_limit(0);
    CHECK(concurrency.limit() == 1);
}

}  // namespace azlock::ops
