#include "base/file.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/system_limit.hpp"
#include "base/text.hpp"

namespace azlock {
namespace {

// Linux moves at most 2^31 - 4096 bytes in one call anyway.
constexpr std::size_t kMaxChunk = std::size_t{1} << 30U;

bool offset_fits(std::uint64_t offset, std::size_t size) {
    const auto limit = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    return offset <= limit && size <= limit - offset;
}

// True if the caller must repeat the call: it was interrupted, or the descriptor is non-blocking and is now ready.
bool try_again(int fd, short events) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd ready{fd, events, 0};
    return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

template <typename Call>
Result<std::size_t> read_loop(int fd, std::span<std::byte> out, std::string_view path, Call read_some) {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t n = read_some(out.data() + done, std::min(out.size() - done, kMaxChunk), done);
        if (n == 0) break;
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (!try_again(fd, POLLIN)) {
            return fail(file_error(ErrorCode::io, "read", path, errno));
        }
    }
    return done;
}

template <typename Call>
Status write_loop(int fd, ByteView data, std::string_view path, Call write_some) {
    std::size_t done = 0;
    while (done < data.size()) {
        const ssize_t n = write_some(data.data() + done, std::min(data.size() - done, kMaxChunk), done);
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (n == 0) {
            return fail(file_error(ErrorCode::io, "write", path, EIO));  // else this would loop for ever
        } else if (!try_again(fd, POLLOUT)) {
            return fail(file_error(ErrorCode::io, "write", path, errno));
        }
    }
    return {};
}

std::int64_t to_ns(const timespec& t) {
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

void Fd::reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

std::string errno_text(int errno_value) {
    std::string text = std::generic_category().message(errno_value);
    if (!text.empty()) text.replace(0, 1, to_lower(text.substr(0, 1)));
    return text;
}

Error file_error(ErrorCode code, std::string_view action, std::string_view path, int errno_value) {
    const std::string name = path.empty() ? std::string() : " " + in_quotes(path);
    Error error = make_error(code, "cannot " + std::string(action) + name + ": " + errno_text(errno_value));
    error.target = path;
    if (const auto limit = reached_limit(errno_value)) {
        const Error reached = limit_error(*limit);
        error.code = reached.code;
        error.hint = reached.message + "; " + reached.hint;
    }
    return error;
}

Pipe make_pipe() {
    int ends[2] = {-1, -1};
    (void)!::pipe2(ends, O_CLOEXEC);
    return {Fd(ends[0]), Fd(ends[1])};
}

namespace {

Result<Fd> open_for_reading(const std::string& path, int flags) {
    if (path.find('\0') != std::string::npos) {
        return fail(file_error(ErrorCode::input_missing, "open", path, ENOENT));
    }
    Fd fd;
    do {
        fd.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags));
    } while (!fd && errno == EINTR);
    if (!fd) return fail(file_error(ErrorCode::input_missing, "open", path, errno));
    struct stat info {};
    if (fstat(fd.get(), &info) != 0) return fail(file_error(ErrorCode::input_missing, "open", path, errno));
    if (S_ISDIR(info.st_mode)) return fail(file_error(ErrorCode::input_missing, "read", path, EISDIR));
    return fd;
}

}  // namespace

Result<Fd> open_input(const std::string& path) {
    return open_for_reading(path, 0);
}

Result<Fd> open_whole_input(const std::string& path) {
    auto fd = open_for_reading(path, O_NONBLOCK);
    if (!fd) return fd;
    if (is_fifo_or_device(fd->get())) {
        Error error = make_error(ErrorCode::input_missing, in_quotes(path) + " is a FIFO or a device",
                                 "give a regular file, or - for standard input");
        error.target = path;
        return fail(std::move(error));
    }
    ::fcntl(fd->get(), F_SETFL, 0);  // the readers wait for what comes through a pipe
    return fd;
}

bool is_fifo_or_device(int fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return false;
    struct statfs place {};
    if (S_ISFIFO(info.st_mode)) return ::fstatfs(fd, &place) != 0 || place.f_type != PIPEFS_MAGIC;
    const bool null = S_ISCHR(info.st_mode) && info.st_rdev == ::makedev(1, 3);
    return !null && ::isatty(fd) == 0;
}

Result<std::size_t> read_full_at(int fd, std::uint64_t offset, std::span<std::byte> out, std::string_view path) {
    if (!offset_fits(offset, out.size())) return fail(file_error(ErrorCode::io, "read", path, EOVERFLOW));
    return read_loop(fd, out, path, [&](std::byte* to, std::size_t size, std::size_t done) {
        return ::pread(fd, to, size, static_cast<off_t>(offset + done));
    });
}

Result<std::size_t> read_full(int fd, std::span<std::byte> out, std::string_view path) {
    return read_loop(fd, out, path, [&](std::byte* to, std::size_t size, std::size_t) { return ::read(fd, to, size); });
}

Status write_full_at(int fd, std::uint64_t offset, ByteView data, std::string_view path) {
    if (!offset_fits(offset, data.size())) return fail(file_error(ErrorCode::io, "write", path, EFBIG));
    return write_loop(fd, data, path, [&](const std::byte* from, std::size_t size, std::size_t done) {
        return ::pwrite(fd, from, size, static_cast<off_t>(offset + done));
    });
}

Status write_full(int fd, ByteView data, std::string_view path) {
    return write_loop(fd, data, path,
                      [&](const std::byte* from, std::size_t size, std::size_t) { return ::write(fd, from, size); });
}

Result<FileIdentity> identify(int fd, std::string_view path) {
    struct stat info {};
    if (fstat(fd, &info) != 0) return fail(file_error(ErrorCode::io, "examine", path, errno));
    return FileIdentity{info.st_dev,         info.st_ino,         static_cast<std::uint64_t>(info.st_size),
                        to_ns(info.st_mtim), to_ns(info.st_ctim), S_ISREG(info.st_mode)};
}

}  // namespace azlock
