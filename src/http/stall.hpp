// Tells whether the bytes of a connection still move.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace azlock::http {

// Not thread-safe.
class StallWatch {
  public:
    // `timeout` 0: nothing is ever a stall.
    StallWatch(int socket, std::chrono::milliseconds timeout);

    // `bytes`: how many were written to the connection and read from it so far. True if neither this number nor the
    // peer's acknowledgements have changed for the timeout. `under_way` false: nothing should move now.
    [[nodiscard]] bool stands_still(std::uint64_t bytes, bool under_way = true);
    // Bytes that were written to the connection and not acknowledged by the peer's system.
    [[nodiscard]] std::uint64_t unacknowledged() const;
    // How long to wait at most before asking again.
    [[nodiscard]] std::chrono::milliseconds slice() const;

  private:
    int socket_;
    std::chrono::milliseconds timeout_;
    std::uint64_t moved_ = 0;
    bool was_under_way_ = true;
    BootTime moved_at_;
};

}  // namespace azlock::http
