// A gate lets in as many as its limit says, in the order of their coming, and lets go whoever is told to stop.
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

}  // namespace

TEST_CASE("no more are inside a gate than its limit, and every one gets in") {
    Gate gate(3);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> passed{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 12; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 50; ++n) {
                    const auto pass = gate.enter({});
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
    Gate gate(1);
    std::vector<int> order;
    std::vector<std::jthread> threads;
    {
        const auto first = gate.enter({});
        for (int i = 0; i < 5; ++i) {
            threads.emplace_back([&, i] {
                const auto pass = gate.enter({});
                order.push_back(i);  // the gate is the lock
            });
            REQUIRE(eventually([&] { return gate.waiting() == static_cast<std::size_t>(i) + 1; }));
        }
    }
    threads.clear();
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_CASE("a stop ends the waiting at a gate, and the next in line still gets in") {
    Gate gate(1);
    std::stop_source stop;
    std::atomic<bool> refused{false};
    std::atomic<bool> entered{false};
    auto first = gate.enter({});
    {
        std::jthread stopped([&] { refused = !gate.enter(stop.get_token()).has_value(); });
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));
        std::jthread next([&] { entered = gate.enter({}).has_value(); });
        REQUIRE(eventually([&] { return gate.waiting() == 2; }));
        stop.request_stop();
        REQUIRE(eventually([&] { return refused.load(); }));
        CHECK_FALSE(entered);
        first.reset();
    }
    CHECK(entered);
}

TEST_CASE("a raised limit lets the waiting in, a lowered one lets those inside finish") {
    Gate gate(1);
    const auto first = gate.enter({});
    std::atomic<bool> entered{false};
    std::jthread second([&] {
        const auto pass = gate.enter({});
        entered = true;
    });
    REQUIRE(eventually([&] { return gate.waiting() == 1; }));
    CHECK_FALSE(entered);
    gate.set_limit(2);
    REQUIRE(eventually([&] { return entered.load(); }));
    gate.set_limit(0);
    CHECK(gate.limit() == 1);
}

}  // namespace azlock::ops
