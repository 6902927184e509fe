#include "ops/append/input/tee_output.hpp"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace azlock::ops {

bool TeeOutput::writable() {
    if (last_ == kNoDeadline) {
        const Wake wake = wait_ready(fd_, POLLOUT, kNoDeadline, clock_, stop_);
        if (wake == Wake::ready) return true;
        last_ = clock_.after(std::chrono::seconds(1));
    }
    return wait_ready(fd_, POLLOUT, last_, clock_, never_) == Wake::ready;
}

void TeeOutput::write(ByteView data) {
    while (open_ && !data.empty()) {
        if (!writable()) {
            open_ = false;
            say_("--tee: nobody reads standard output; the copy on it is not complete");
            return;
        }
        // A writable pipe takes so many bytes without blocking.
        const ssize_t done = ::write(fd_, data.data(), std::min<std::size_t>(data.size(), PIPE_BUF));
        if (done > 0) {
            data = data.subspan(static_cast<std::size_t>(done));
        } else if (done < 0 && errno != EINTR && errno != EAGAIN) {
            open_ = false;
            const std::string why = errno == EPIPE
                                        ? "its reader has gone"
                                        : file_error(ErrorCode::io, "write", "standard output", errno).message;
            say_("--tee: the copy on standard output ends here: " + why + "; the blob still gets everything");
        }
    }
}

}  // namespace azlock::ops
