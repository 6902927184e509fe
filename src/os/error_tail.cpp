#include "os/error_tail.hpp"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "os/started.hpp"

namespace azlock::os {
namespace {

constexpr std::size_t kPiece = 4096;  // a pipe that is ready takes this much without waiting
constexpr int kMostPieces = 64;       // the most to read at the end, if the command goes on writing

}  // namespace

Result<std::unique_ptr<ErrorTail>> ErrorTail::start(std::size_t keep) {
    Pipe pipe = make_pipe();
    if (!pipe.read_end || fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK) != 0) {
        return fail(ErrorCode::io, "cannot make a pipe: " + errno_text(errno));
    }
    return std::unique_ptr<ErrorTail>(new ErrorTail(keep, std::move(pipe)));
}

ErrorTail::ErrorTail(std::size_t keep, Pipe pipe) : keep_(keep), pipe_(std::move(pipe)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

std::string ErrorTail::finish() {
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
    }
    return tail_;
}

void ErrorTail::work(const std::stop_token& stop) {
    const StopSignal signal(stop);
    while (wait_ready(pipe_.read_end.get(), POLLIN, kNoDeadline, SystemClock(), signal) == Wake::ready) {
        (void)take(signal);
    }
    for (int i = 0; i < kMostPieces && take(signal); ++i) {
    }
}

bool ErrorTail::take(const StopSignal& stop) {
    char piece[kPiece];
    const ssize_t size = read(pipe_.read_end.get(), piece, sizeof piece);
    if (size <= 0) return size < 0 && errno == EINTR;
    pass_on(piece, static_cast<std::size_t>(size), stop);
    tail_.append(piece, static_cast<std::size_t>(size));
    if (tail_.size() > keep_) tail_.erase(0, tail_.size() - keep_);
    return true;
}

void ErrorTail::pass_on(const char* data, std::size_t size, const StopSignal& stop) {
    while (size > 0) {
        pollfd entries[2] = {{STDERR_FILENO, POLLOUT, 0}, {stop.fd(), POLLIN, 0}};
        if (poll(entries, 2, -1) < 0 && errno != EINTR) return;
        if (entries[0].revents == 0) {
            if (entries[1].revents != 0) return;
            continue;
        }
        const ssize_t written = write(STDERR_FILENO, data, size);
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;
        if (written > 0) {
            note_passed_on(data[written - 1] == '\n');
            data += written;
            size -= static_cast<std::size_t>(written);
        }
    }
}

}  // namespace azlock::os
