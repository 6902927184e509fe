// Threads that a session has made before its command starts.
#include <atomic>
#include <new>
#include <system_error>

#include "ops/lock/helper_threads.hpp"
#include "support/catch.hpp"
#include "unit/eventually.hpp"

namespace azlock::ops {
namespace {

// A system that gives `left` more threads.
struct System {
    HelperThreads::Starter starter() {
        return [this](std::function<void()> work) {
            if (left == 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
            --left;
            return std::thread(std::move(work));
        };
    }
    int left;
};

}  // namespace

TEST_CASE("threads that the system does not give at the start are an error at the start") {
    System system{2};
    CHECK_THROWS_AS(HelperThreads(3, system.starter()), std::system_error);
}

TEST_CASE("jobs run at once on the threads of the start, and one more waits for a free one") {
    System system{2};
    std::atomic<int> running{0};
    std::atomic<bool> go{false};
    std::atomic<bool> last{false};
    HelperThreads threads(2, system.starter());
    for (int i = 0; i < 2; ++i) {
        threads.run([&](const std::stop_token&) {
            ++running;
            while (!go) std::this_thread::yield();
        });
    }
    REQUIRE(test::eventually([&] { return running == 2; }));
    threads.run([&](const std::stop_token&) { last = true; });
    CHECK_FALSE(last);
    go = true;
    CHECK(test::eventually([&] { return last.load(); }));
    CHECK(system.left == 0);
}

TEST_CASE("a job for which no thread is free gets a new one if the system gives it") {
    System system{2};
    std::atomic<bool> go{false};
    std::atomic<bool> second{false};
    HelperThreads threads(1, system.starter());
    threads.run([&](const std::stop_token&) {
        while (!go) std::this_thread::yield();
    });
    threads.run([&](const std::stop_token&) { second = true; });
    CHECK(test::eventually([&] { return second.load(); }));
    go = true;
}

TEST_CASE("a job that gets no memory ends alone, and its thread does the next one") {
    System system{1};
    std::atomic<bool> next{false};
    HelperThreads threads(1, system.starter());
    threads.run([](const std::stop_token&) { throw std::bad_alloc(); });
    threads.run([&](const std::stop_token&) { next = true; });
    CHECK(test::eventually([&] { return next.load(); }));
}

TEST_CASE("a line that does not fit into memory is not said, and the next one is") {
    std::atomic<int> said{0};
    Voice voice([&](const std::string& line) {
        if (line == "long") throw std::bad_alloc();
        ++said;
    });
    voice.tell("long");
    voice.tell("short");
    CHECK(test::eventually([&] { return said == 1; }));
}

}  // namespace azlock::ops
