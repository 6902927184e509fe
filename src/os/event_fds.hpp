// Descriptors for poll(): a timer on CLOCK_BOOTTIME, a step of the wall clock, work from other threads.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace azlock::os {

// Readable from `when` on, even if the machine was suspended at that time.
class BootTimer {
  public:
    BootTimer();
    void set(BootTime when);  // kNoDeadline: never
    [[nodiscard]] int fd() const { return timer_.get(); }

  private:
    Fd timer_;
};

// Readable after the wall clock was set or the machine was suspended.
class ClockStepWatch {
  public:
    ClockStepWatch();
    // True if that has happened since the last call. Clears the event.
    [[nodiscard]] bool stepped();
    [[nodiscard]] int fd() const { return timer_.get(); }

  private:
    void arm();
    Fd timer_;
};

// Functions that any thread posts and one thread calls. Thread-safe.
class Mailbox {
  public:
    Mailbox();
    void post(std::function<void()> what);
    // Removes and returns everything that was posted so far, in order.
    [[nodiscard]] std::vector<std::function<void()>> take();
    [[nodiscard]] int fd() const { return event_.get(); }

  private:
    static constexpr std::size_t kRoom = 64;  // a signal is posted without a need for memory
    Fd event_;
    std::mutex mutex_;
    std::vector<std::function<void()>> posted_;
};

}  // namespace azlock::os
