#include "ops/append/input/clocked_poll.hpp"

#include <algorithm>

#include <poll.h>

namespace azlock::ops {

http::Wake clocked_poll(int fd, short events, Deadline until, const Clock& clock, const http::StopSignal& stop) {
    for (;;) {
        const auto left = std::clamp<std::chrono::nanoseconds>(until - clock.now(), {}, http::kWaitSlice);
        const auto slice = std::chrono::ceil<std::chrono::milliseconds>(left);
        pollfd fds[] = {{fd, events, 0}, {stop.fd(), POLLIN, 0}};
        const int found = ::poll(fds, 2, static_cast<int>(slice.count()));
        if (found > 0 && fds[1].revents != 0) return http::Wake::stopped;
        if (found > 0 && fds[0].revents != 0) return http::Wake::ready;
        if (slice.count() == 0) return http::Wake::deadline;
    }
}

}  // namespace azlock::ops
