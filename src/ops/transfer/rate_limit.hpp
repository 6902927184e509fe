// Limits the bytes per second that all requests of a command send together.
#pragma once

#include <mutex>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// Thread-safe; callers are served in the order of their calls. Unused time is not saved up.
class RateLimit {
  public:
    // At least 1 byte per second.
    RateLimit(Clock& clock, std::uint64_t bytes_per_second);
    // Bytes per second.
    [[nodiscard]] std::uint64_t rate() const { return rate_; }
    // Waits until these bytes may be sent. Errors: cancelled; unavailable, at the deadline, if they may be sent only
    // later.
    [[nodiscard]] Status take(std::uint64_t bytes, Deadline deadline, const std::stop_token& stop);

  private:
    Clock& clock_;
    std::uint64_t rate_;
    std::mutex mutex_;
    BootTime free_at_;  // when all bytes granted so far will have been sent
};

}  // namespace azlock::ops
