#include "http/stall.hpp"

#include <algorithm>
#include <utility>

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace azlock::http {

StallWatch::StallWatch(int socket, std::chrono::milliseconds timeout)
    : socket_(socket), timeout_(timeout), moved_at_(SystemClock().now()) {}

std::uint64_t StallWatch::unacknowledged() const {
    int bytes = 0;
    if (::ioctl(socket_, SIOCOUTQ, &bytes) != 0) return 0;
    return static_cast<std::uint64_t>(bytes);
}

bool StallWatch::stands_still(std::uint64_t bytes, bool under_way) {
    if (timeout_.count() == 0) return false;
    const std::uint64_t moved = bytes - unacknowledged();
    const BootTime now = SystemClock().now();
    // A transfer that has only just begun was not idle since the last call.
    const bool begun = !std::exchange(was_under_way_, under_way);
    if (moved != moved_ || !under_way || begun) {
        moved_ = moved;
        moved_at_ = now;
    }
    return now - moved_at_ >= timeout_;
}

std::chrono::milliseconds StallWatch::slice() const {
    return timeout_.count() == 0 ? kWaitSlice : std::min(kWaitSlice, timeout_ / 4 + std::chrono::milliseconds(1));
}

}  // namespace azlock::http
