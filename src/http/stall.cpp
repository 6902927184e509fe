#include "http/stall.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

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

std::uint64_t StallWatch::taken() const {
    // tcpi_bytes_received of the kernel's struct tcp_info; that of the C library ends before it.
    constexpr std::size_t kAt = 128;
    std::array<std::byte, kAt + sizeof(std::uint64_t)> info{};
    socklen_t size = info.size();
    int unread = 0;
    if (::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, info.data(), &size) != 0 || size < info.size()) return 0;
    if (::ioctl(socket_, SIOCINQ, &unread) != 0) return 0;
    std::uint64_t received = 0;
    std::memcpy(&received, info.data() + kAt, sizeof received);
    return received - std::min(received, static_cast<std::uint64_t>(unread));
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
