// Tells when a connection on which bytes ought to move stands still.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace azlock::http {

// Not thread-safe.
class StallWatch {
  public:
    // A limit of 0: nothing ever stalls.
    StallWatch(int socket, std::chrono::milliseconds limit);
    // Bytes that the peer has not acknowledged yet.
    [[nodiscard]] std::uint64_t unacknowledged() const;
    // True if bytes have been due since the limit and none moved. `handed`: all that were given to the connection or
    // taken from it.
    [[nodiscard]] bool stalled(std::uint64_t handed, bool due);

  private:
    int socket_;
    std::chrono::milliseconds limit_;
    std::uint64_t moved_ = 0;
    BootTime moved_at_;
};

}  // namespace azlock::http
