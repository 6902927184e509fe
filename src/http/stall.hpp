// Tells whether the bytes of a connection still move.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace azlock::http {

// Not thread-safe.
class StallWatch {
  public:
    // 0: nothing is ever a stall.
    StallWatch(int socket, std::chrono::milliseconds timeout);

    // `bytes`: handed to the connection and taken from it so far. True where neither they nor what the peer has
    // acknowledged has changed for the timeout. `under_way` false: nothing is expected to move now.
    [[nodiscard]] bool stands_still(std::uint64_t bytes, bool under_way = true);
    // Handed to the connection and not acknowledged by the peer's system.
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
