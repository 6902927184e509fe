#include "ops/append/input/tee_output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <unistd.h>

#include "ops/append/input/clocked_poll.hpp"

namespace azlock::ops {

bool TeeOutput::writable() {
    if (last_ == kNoDeadline) {
        const http::Wake wake = clocked_poll(fd_, POLLOUT, kNoDeadline, clock_, stop_);
        if (wake == http::Wake::ready) return true;
        last_ = clock_.after(std::chrono::seconds(1));
    }
    return clocked_poll(fd_, POLLOUT, last_, clock_, never_) == http::Wake::ready;
}

void TeeOutput::write(ByteView data) {
    while (open_ && !data.empty()) {
        if (!writable()) {
            open_ = false;
            say_("--tee: nobody reads standard output; the copy on it is not complete");
            return;
        }
        // A pipe that is writable takes so much without blocking.
        const ssize_t done = ::write(fd_, data.data(), std::min<std::size_t>(data.size(), PIPE_BUF));
        if (done > 0) {
            data = data.subspan(static_cast<std::size_t>(done));
        } else if (done < 0 && errno != EINTR && errno != EAGAIN) {
            open_ = false;
            const std::string why = errno == EPIPE
                                        ? "its reader has gone"
                                        : file_error(ErrorCode::io, "write", "standard output", errno).message;
            say_("--tee: the copy on standard output ends here: " + why + "; the blob gets everything all the same");
        }
    }
}

}  // namespace azlock::ops
