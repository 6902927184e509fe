#include "http/stall.hpp"

#include <algorithm>
#include <utility>

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace azlock::http {

SendPace::SendPace(std::uint64_t body_size, std::chrono::milliseconds longest)
    : body_size_(body_size), longest_(longest), start_(SystemClock().now()) {}

bool SendPace::too_slow(std::uint64_t arrived, std::uint64_t here) const {
    if (longest_.count() == 0 || arrived >= body_size_) return false;
    const std::chrono::duration<double> took = SystemClock().now() - start_;
    if (took < longest_ / 3) return false;
    const double share = static_cast<double>(arrived) / static_cast<double>(body_size_);
    // What is on its way arrives even if the connection is reset, and a little more goes out until then.
    const double certain = static_cast<double>(here) / static_cast<double>(body_size_);
    return took > longest_ * share && took * certain > longest_ * share / 5;
}

StallWatch::StallWatch(int socket, std::chrono::milliseconds timeout)
    : socket_(socket), timeout_(timeout), moved_at_(SystemClock().now()) {}

std::uint64_t StallWatch::unacknowledged() const {
    int bytes = 0;
    if (::ioctl(socket_, SIOCOUTQ, &bytes) != 0) return 0;
    return static_cast<std::uint64_t>(bytes);
}

std::uint64_t StallWatch::unsent() const {
    int bytes = 0;
    if (::ioctl(socket_, SIOCOUTQNSD, &bytes) != 0) return 0;
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
