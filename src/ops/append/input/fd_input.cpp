#include "ops/append/input/fd_input.hpp"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace azlock::ops {
namespace {

// Number of bytes that can be read without waiting for a writer.
std::size_t held_by(int fd) {
    struct stat info {};
    int count = 0;
    if (fstat(fd, &info) != 0 || S_ISREG(info.st_mode)) return 0;
    if (ioctl(fd, FIONREAD, &count) != 0 || count < 0) return 0;
    return static_cast<std::size_t>(count);
}

}  // namespace

Result<ByteInput::Read> FdInput::read(std::span<std::byte> out, Deadline until) {
    for (;;) {
        if (!left_) {
            const Wake wake = wait_ready(fd_, POLLIN, until, clock_, stop_);
            if (wake == Wake::deadline) return Read{Got::nothing, 0};
            if (wake == Wake::stopped) left_ = held_by(fd_);
        }
        if (left_ == 0U) return Read{Got::end, 0};
        const ssize_t got = ::read(fd_, out.data(), std::min(out.size(), left_.value_or(out.size())));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) {
            if (left_) return Read{Got::end, 0};  // somebody else has read it
            continue;
        }
        if (got < 0) return fail(file_error(ErrorCode::io, "read", name_, errno));
        if (got == 0) {
            if (auto same = witness_.check(); !same) return fail(same.error());
            return Read{Got::end, 0};
        }
        const auto size = static_cast<std::size_t>(got);
        witness_.saw(out.first(size));
        if (left_) *left_ -= size;
        return Read{Got::bytes, size};
    }
}

}  // namespace azlock::ops
