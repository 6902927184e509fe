// Local files: descriptors that close themselves, whole reads and writes, and "is it still the same file".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/encoding.hpp"
#include "base/result.hpp"

namespace azlock {

// Owns a file descriptor; -1 is "none". Movable only.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);

  private:
    int fd_ = -1;
};

// An error of a system call on a local file: "cannot open 'x': no such file or directory". `path` becomes the target.
[[nodiscard]] Error file_error(ErrorCode code, std::string_view action, std::string_view path, int errno_value);

// Opens for reading, close-on-exec. Failures, and directories, are ErrorCode::input_missing. A FIFO without a writer
// blocks, as everywhere.
[[nodiscard]] Result<Fd> open_input(const std::string& path);

// In all of these `path` is for the error alone (ErrorCode::io), and the descriptor stays the caller's.

// Fills `out` from `offset` on; fewer bytes only where the file ends. Does not move the file position.
[[nodiscard]] Result<std::size_t> read_full_at(int fd, std::uint64_t offset, std::span<std::byte> out,
                                               std::string_view path);
// Fills `out` from a stream (pipe, terminal, file position); fewer bytes only at its end.
[[nodiscard]] Result<std::size_t> read_full(int fd, std::span<std::byte> out, std::string_view path);
[[nodiscard]] Status write_full_at(int fd, std::uint64_t offset, ByteView data, std::string_view path);
// To a stream; waits where the descriptor is non-blocking and full. A reader that has gone is an error here only where
// SIGPIPE is ignored.
[[nodiscard]] Status write_full(int fd, ByteView data, std::string_view path);

// What tells whether a source was changed while it was read: take it before and after, and compare.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    bool regular = false;  // neither pipe, terminal, device nor directory: `size` is meant and pread works
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
[[nodiscard]] Result<FileIdentity> identify(int fd, std::string_view path);

}  // namespace azlock
