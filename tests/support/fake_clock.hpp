// A clock that moves only when a test or a wait moves it.
#pragma once

#include <mutex>
#include <vector>

#include "base/clock.hpp"

namespace azlock::test {

// Thread-safe. wait_until() does not block: it moves the time to `when` and records the wait.
class FakeClock final : public Clock {
  public:
    explicit FakeClock(WallTime wall = WallTime(std::chrono::seconds(1'700'000'000))) : wall_(wall) {}

    [[nodiscard]] BootTime now() const override;
    [[nodiscard]] WallTime wall() const override;
    bool wait_until(BootTime when, std::stop_token stop) override;

    void advance(std::chrono::nanoseconds span);
    // Steps the wall clock alone, as ntpd or an operator would.
    void step_wall(std::chrono::nanoseconds span);
    // The length of each wait so far.
    [[nodiscard]] std::vector<std::chrono::nanoseconds> waits() const;

  private:
    mutable std::mutex mutex_;
    BootTime now_{std::chrono::hours(1)};
    WallTime wall_;
    std::vector<std::chrono::nanoseconds> waits_;
};

}  // namespace azlock::test
