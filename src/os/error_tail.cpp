#include "os/error_tail.hpp"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace azlock::os {
namespace {

constexpr std::size_t kPiece = 4096;  // a pipe that is ready takes this much without waiting
constexpr int kMostPieces = 64;       // the most to read at the end, if the command goes on writing

}  // namespace

Result<std::unique_ptr<ErrorTail>> ErrorTail::start(std::size_t keep) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return fail(file_error(ErrorCode::io, "make", "a pipe", errno));
    Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    Fd stop(eventfd(0, EFD_CLOEXEC));
    if (!stop || fcntl(read_end.get(), F_SETFL, O_NONBLOCK) != 0) {
        return fail(file_error(ErrorCode::io, "make", "a pipe", errno));
    }
    return std::unique_ptr<ErrorTail>(new ErrorTail(keep, std::move(read_end), std::move(write_end), std::move(stop)));
}

ErrorTail::ErrorTail(std::size_t keep, Fd read_end, Fd write_end, Fd stop)
    : keep_(keep), read_end_(std::move(read_end)), write_end_(std::move(write_end)), stop_(std::move(stop)) {
    thread_ = std::thread([this] { work(); });
}

ErrorTail::~ErrorTail() {
    (void)finish();
}

std::string ErrorTail::finish() {
    if (thread_.joinable()) {
        const std::uint64_t one = 1;
        (void)!write(stop_.get(), &one, sizeof one);
        thread_.join();
    }
    return tail_;
}

bool ErrorTail::stopping() const {
    pollfd entry{stop_.get(), POLLIN, 0};
    return poll(&entry, 1, 0) > 0;
}

void ErrorTail::work() {
    while (!stopping()) {
        pollfd entries[2] = {{read_end_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
        (void)poll(entries, 2, -1);
        (void)take();
    }
    for (int i = 0; i < kMostPieces && take(); ++i) {
    }
}

bool ErrorTail::take() {
    char piece[kPiece];
    const ssize_t size = read(read_end_.get(), piece, sizeof piece);
    if (size <= 0) return size < 0 && errno == EINTR;
    pass_on(piece, static_cast<std::size_t>(size));
    tail_.append(piece, static_cast<std::size_t>(size));
    if (tail_.size() > keep_) tail_.erase(0, tail_.size() - keep_);
    return true;
}

void ErrorTail::pass_on(const char* data, std::size_t size) {
    while (size > 0) {
        pollfd entries[2] = {{STDERR_FILENO, POLLOUT, 0}, {stop_.get(), POLLIN, 0}};
        if (poll(entries, 2, -1) < 0 && errno != EINTR) return;
        if (entries[0].revents == 0) {
            if (stopping()) return;
            continue;
        }
        const ssize_t written = write(STDERR_FILENO, data, size);
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;
        if (written > 0) {
            data += written;
            size -= static_cast<std::size_t>(written);
        }
    }
}

}  // namespace azlock::os
