#include "support/fake_clock.hpp"

#include <algorithm>

namespace azlock::test {

BootTime FakeClock::now() const {
    const std::lock_guard lock(mutex_);
    return now_;
}

WallTime FakeClock::wall() const {
    const std::lock_guard lock(mutex_);
    return wall_;
}

bool FakeClock::wait_until(BootTime when, std::stop_token stop) {
    if (stop.stop_requested()) return false;
    const std::lock_guard lock(mutex_);
    const auto span = std::max(when - now_, std::chrono::nanoseconds(0));
    waits_.push_back(span);
    now_ += span;
    wall_ += span;
    return true;
}

void FakeClock::advance(std::chrono::nanoseconds span) {
    const std::lock_guard lock(mutex_);
    now_ += span;
    wall_ += span;
}

void FakeClock::step_wall(std::chrono::nanoseconds span) {
    const std::lock_guard lock(mutex_);
    wall_ += span;
}

std::vector<std::chrono::nanoseconds> FakeClock::waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
}

}  // namespace azlock::test
