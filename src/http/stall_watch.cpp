#include "http/stall_watch.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace azlock::http {

StallWatch::StallWatch(int socket, std::chrono::milliseconds limit)
    : socket_(socket), limit_(limit), moved_at_(SystemClock().now()) {}

std::uint64_t StallWatch::unacknowledged() const {
    int bytes = 0;
    return ::ioctl(socket_, SIOCOUTQ, &bytes) == 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

bool StallWatch::stalled(std::uint64_t handed, bool due) {
    if (limit_.count() == 0) return false;
    const std::uint64_t moved = handed - unacknowledged();
    const BootTime now = SystemClock().now();
    if (moved != moved_ || !due) {
        moved_ = moved;
        moved_at_ = now;
    }
    return now - moved_at_ >= limit_;
}

}  // namespace azlock::http
