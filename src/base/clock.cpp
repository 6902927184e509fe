#include "base/clock.hpp"

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>

namespace azlock {
namespace {

std::chrono::nanoseconds read_clock(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

}  // namespace

Deadline Clock::after(std::chrono::nanoseconds span) const {
    const BootTime start = now();
    return span > kNoDeadline - start ? kNoDeadline : start + span;
}

BootTime SystemClock::now() const {
    return BootTime(read_clock(CLOCK_BOOTTIME));
}

WallTime SystemClock::wall() const {
    return WallTime(read_clock(CLOCK_REALTIME));
}

bool SystemClock::wait_until(BootTime when, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        const BootTime at = now();
        if (at >= when) return true;
        changed.wait_for(lock, stop, std::min<std::chrono::nanoseconds>(when - at, kWaitSlice), [] { return false; });
    }
    return false;
}

}  // namespace azlock
