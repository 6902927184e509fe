// Waiting for a descriptor with a deadline on CLOCK_BOOTTIME and a stop token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace azlock::http {

// The longest a sleeping thread goes without looking at the clock: poll() and condition variables count on
// CLOCK_MONOTONIC, which stands still during suspend.
inline constexpr std::chrono::milliseconds kWaitSlice{500};

// The part of `left` until `deadline` that one sleep may take, at least zero.
[[nodiscard]] std::chrono::nanoseconds wait_slice(Deadline deadline);

// A descriptor that becomes readable when a stop is requested.
class StopSignal {
  public:
    explicit StopSignal(const std::stop_token& stop);
    [[nodiscard]] int fd() const { return event_.get(); }

  private:
    struct Raise {
        int fd;
        void operator()() const;
    };
    Fd event_;
    std::optional<std::stop_callback<Raise>> callback_;
};

enum class Wake { ready, deadline, stopped };

// Waits until `fd` has one of `events` (or is broken).
[[nodiscard]] Wake wait_ready(int fd, short events, Deadline deadline, const StopSignal& stop);

}  // namespace azlock::http
