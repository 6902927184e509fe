// Waiting for a descriptor until a point on a Clock that was passed in.
#pragma once

#include "base/clock.hpp"
#include "http/wait.hpp"

namespace azlock::ops {

// Looks at `fd` (-1: none) at least once, then waits until it has one of `events` (or is broken). The clock is read at
// least every half second.
[[nodiscard]] http::Wake clocked_poll(int fd, short events, Deadline until, const Clock& clock,
                                      const http::StopSignal& stop);

}  // namespace azlock::ops
