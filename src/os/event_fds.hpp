// Descriptors to poll for: a timer on CLOCK_BOOTTIME, a step of the wall clock, work that another thread has posted.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace azlock::os {

// Readable from `when` on, also where the machine slept past it.
class BootTimer {
  public:
    BootTimer();
    void set(BootTime when);  // kNoDeadline: never
    [[nodiscard]] int fd() const { return timer_.get(); }

  private:
    Fd timer_;
};

// Readable when the wall clock was set, or the machine has slept.
class ClockStepWatch {
  public:
    ClockStepWatch();
    // Takes the event, if there is one.
    [[nodiscard]] bool stepped();
    [[nodiscard]] int fd() const { return timer_.get(); }

  private:
    void arm();
    Fd timer_;
};

// Functions for one thread to call, posted by any. Thread-safe.
class Mailbox {
  public:
    Mailbox();
    void post(std::function<void()> what);
    // Everything posted so far, in order.
    [[nodiscard]] std::vector<std::function<void()>> take();
    [[nodiscard]] int fd() const { return event_.get(); }

  private:
    Fd event_;
    std::mutex mutex_;
    std::vector<std::function<void()>> posted_;
};

}  // namespace azlock::os
