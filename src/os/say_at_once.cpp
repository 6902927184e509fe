#include "os/say_at_once.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"

namespace azlock::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kAtOnce = 4096;  // a pipe that is ready takes this much at once

ssize_t write_piece(int fd, bool socket, std::string_view piece) {
    if (socket) return send(fd, piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return write(fd, piece.data(), piece.size());
}

}  // namespace

std::size_t say_within(std::string_view text, milliseconds at_most) {
    struct stat status {};
    if (fstat(STDERR_FILENO, &status) != 0) return 0;
    Fd own;
    if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
        // Opens it again: only our own open file description must become non-blocking.
        own.reset(open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
        // If another user has made it, nothing keeps us from waiting for others who write to it at the same moment.
        if (!own && at_most.count() == 0) return 0;
    }
    const int fd = own ? own.get() : STDERR_FILENO;
    const auto end = steady_clock::now() + at_most;
    std::size_t done = 0;
    while (done < text.size()) {
        const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
        pollfd entry{fd, POLLOUT, 0};
        if (poll(&entry, 1, static_cast<int>(std::max(left, milliseconds(0)).count())) == 0) break;
        const ssize_t written = write_piece(fd, S_ISSOCK(status.st_mode), text.substr(done, kAtOnce));
        if (written > 0) {
            done += static_cast<std::size_t>(written);
        } else if (written == 0 || (errno != EINTR && errno != EAGAIN) || steady_clock::now() >= end) {
            break;
        }
    }
    return done;
}

}  // namespace azlock::os
