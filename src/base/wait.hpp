// Waits for a descriptor, with a deadline of a given Clock and a stop token.
#pragma once

#include <optional>
#include <stop_token>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace azlock {

// How long one sleep may last before `deadline`: at most kWaitSlice, at least 0.
[[nodiscard]] std::chrono::nanoseconds wait_slice(Deadline deadline, const Clock& clock);

// A descriptor that becomes readable when a stop is requested. If the system gives none, fd() is -1, and wait_ready()
// looks for the stop ten times a second.
class StopSignal {
  public:
    explicit StopSignal(const std::stop_token& stop);
    [[nodiscard]] int fd() const { return event_.get(); }
    [[nodiscard]] bool raised() const { return stop_.stop_requested(); }

  private:
    struct Raise {
        int fd;
        void operator()() const;
    };
    std::stop_token stop_;
    Fd event_;
    std::optional<std::stop_callback<Raise>> callback_;
};

enum class Wake { ready, deadline, stopped };

// Polls `fd` (-1: none) at least once, then waits until it has one of `events` or is broken. Reads the clock at least
// once in every kWaitSlice.
[[nodiscard]] Wake wait_ready(int fd, short events, Deadline deadline, const Clock& clock, const StopSignal& stop);

}  // namespace azlock
