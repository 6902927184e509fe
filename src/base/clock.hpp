// Clocks that are passed in: CLOCK_BOOTTIME for intervals (it goes on during suspend), wall time for dates.
#pragma once

#include <chrono>
#include <stop_token>

namespace azlock {

// Tag for points on CLOCK_BOOTTIME: only a Clock can tell the time.
struct BootClock {};
using BootTime = std::chrono::time_point<BootClock, std::chrono::nanoseconds>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

// The time by which an operation must return. kNoDeadline: no limit.
using Deadline = BootTime;
inline constexpr Deadline kNoDeadline = Deadline::max();

// The longest time that a thread sleeps without a look at the clock: poll() and condition variables use
// CLOCK_MONOTONIC, which stops during suspend.
inline constexpr std::chrono::milliseconds kWaitSlice{500};

// Thread-safe. Implementations: SystemClock, and FakeClock in the tests.
class Clock {
  public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual BootTime now() const = 0;
    [[nodiscard]] virtual WallTime wall() const = 0;
    // Blocks until `when` or until a stop is requested, whichever comes first. Returns false if the stop came first.
    virtual bool wait_until(BootTime when, std::stop_token stop) = 0;

    // now() + span, or kNoDeadline if that would overflow.
    [[nodiscard]] Deadline after(std::chrono::nanoseconds span) const;
};

class SystemClock final : public Clock {
  public:
    [[nodiscard]] BootTime now() const override;
    [[nodiscard]] WallTime wall() const override;
    bool wait_until(BootTime when, std::stop_token stop) override;
};

}  // namespace azlock
