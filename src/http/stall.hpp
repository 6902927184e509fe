// Tells whether the bytes of a connection still move.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace azlock::http {

// Tells whether a body will take longer to send than it may. Not thread-safe.
class SendPace {
  public:
    // `longest` 0: never.
    SendPace(std::uint64_t body_size, std::chrono::milliseconds longest);

    // `arrived`: bytes of the body that the peer's system has acknowledged. `here`: bytes that have not left this
    // system. True if, at the rate since the start, the rest takes too long, and so much of it is here that the peer
    // cannot get all if the connection is reset now. Nothing is said in the first third of the time.
    [[nodiscard]] bool too_slow(std::uint64_t arrived, std::uint64_t here) const;

  private:
    std::uint64_t body_size_;
    std::chrono::milliseconds longest_;
    BootTime start_;
};

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
    // Bytes that were written to the connection and have not left this system.
    [[nodiscard]] std::uint64_t unsent() const;
    // Bytes that have come from the peer since the connection was made, and were read here. 0: it cannot be known.
    [[nodiscard]] std::uint64_t taken() const;
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
