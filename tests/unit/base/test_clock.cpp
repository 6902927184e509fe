// base/clock: the real clock, with deadlines that only a hang would miss, and the fake clock.
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

using namespace azlock;
using namespace std::chrono_literals;

TEST_CASE("the system clock goes forward and its wall time is the system's") {
    const SystemClock clock;
    const BootTime first = clock.now();
    const BootTime second = clock.now();
    CHECK(second >= first);
    CHECK(first.time_since_epoch() > 0ns);
    const auto difference = clock.wall() - std::chrono::system_clock::now();
    CHECK(std::chrono::abs(difference) < 60s);
}

TEST_CASE("after() adds to now and never overflows") {
    const SystemClock system;
    CHECK(system.after(std::chrono::nanoseconds::max()) == kNoDeadline);
    const test::FakeClock clock;
    CHECK(clock.after(5s) == clock.now() + 5s);
    CHECK(clock.after(-5s) == clock.now() - 5s);
    CHECK(clock.after(0s) == clock.now());
    CHECK(clock.after(std::chrono::nanoseconds::max()) == kNoDeadline);
    CHECK(clock.after(kNoDeadline - clock.now()) == kNoDeadline);
    CHECK(clock.after(std::chrono::nanoseconds::min()) < clock.now());
}

TEST_CASE("a wait for a time that has come returns at once and true") {
    SystemClock clock;
    CHECK(clock.wait_until(clock.now() - 1h, {}));
    CHECK(clock.wait_until(BootTime(0ns), {}));
}

TEST_CASE("a wait does not end before its time") {
    SystemClock clock;
    for (const auto span : {1ms, 5ms, 20ms}) {
        const BootTime when = clock.now() + span;
        CHECK(clock.wait_until(when, {}));
        CHECK(clock.now() >= when);
    }
}

TEST_CASE("a stop ends a wait that would never end") {
    SystemClock clock;
    for (const Deadline when : {kNoDeadline, clock.after(1h)}) {
        std::promise<void> waiting;
        std::packaged_task<bool(std::stop_token)> wait([&](std::stop_token stop) {
            waiting.set_value();
            return clock.wait_until(when, stop);
        });
        auto result = wait.get_future();
        std::jthread waiter(std::move(wait));
        waiting.get_future().wait();
        waiter.request_stop();
        REQUIRE(result.wait_for(60s) == std::future_status::ready);
        CHECK_FALSE(result.get());
    }
}

TEST_CASE("a stop that was requested before comes first, also where the time has come") {
    std::stop_source source;
    source.request_stop();
    SystemClock system;
    CHECK_FALSE(system.wait_until(kNoDeadline, source.get_token()));
    CHECK_FALSE(system.wait_until(BootTime(0ns), source.get_token()));
    test::FakeClock fake;
    CHECK_FALSE(fake.wait_until(fake.now() + 1h, source.get_token()));
    CHECK(fake.waits().empty());
}

TEST_CASE("the fake clock moves only when it is told to, and records its waits") {
    test::FakeClock clock;
    const BootTime start = clock.now();
    const WallTime wall = clock.wall();
    CHECK(clock.now() == start);
    CHECK(clock.wait_until(start + 5s, {}));
    CHECK(clock.now() == start + 5s);
    CHECK(clock.wall() == wall + 5s);
    CHECK(clock.wait_until(start, {}));
    CHECK(clock.now() == start + 5s);
    clock.advance(1s);
    CHECK(clock.now() == start + 6s);
    clock.step_wall(-1h);
    CHECK(clock.now() == start + 6s);
    CHECK(clock.wall() == wall + 6s - 1h);
    CHECK(clock.waits() == std::vector<std::chrono::nanoseconds>{5s, 0s});
}
