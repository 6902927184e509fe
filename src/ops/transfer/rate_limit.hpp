// A bound on the bytes per second that all of a command's requests send together.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// Thread-safe; callers are served in the order of their calls. Time that nobody used is not saved up.
class RateLimit {
  public:
    // At least 1 byte per second.
    RateLimit(Clock& clock, std::uint64_t bytes_per_second);
    // Waits until these bytes may go. Errors: cancelled; unavailable where that would be after the deadline, when it
    // comes.
    [[nodiscard]] Status take(std::uint64_t bytes, Deadline deadline, const std::stop_token& stop);
    [[nodiscard]] std::uint64_t bytes_per_second() const { return rate_; }

  private:
    Clock& clock_;
    std::uint64_t rate_;
    std::mutex mutex_;
    BootTime free_at_;  // when everything granted so far has gone
};

}  // namespace azlock::ops
