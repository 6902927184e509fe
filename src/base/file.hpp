// Local files: descriptors that close themselves, complete reads and writes, and a check for "is it still the same
// file".
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

// "no such file or directory"
[[nodiscard]] std::string errno_text(int errno_value);
// An error of a system call on a local file: "cannot open 'x': no such file or directory". `path` becomes the target;
// an empty one is left out. If a limit of the system is reached, the code is io, whatever `code` says, and the message
// names the limit.
[[nodiscard]] Error file_error(ErrorCode code, std::string_view action, std::string_view path, int errno_value);

struct Pipe {
    Fd read_end;
    Fd write_end;
};
// A pipe, close-on-exec; without its ends, and with errno set, if the system refuses it.
[[nodiscard]] Pipe make_pipe();

// Opens for reading, close-on-exec. A failure or a directory is ErrorCode::input_missing. Opening a FIFO waits for its
// writer.
[[nodiscard]] Result<Fd> open_input(const std::string& path);

// The same for a file that is to be read whole at once. It does not wait for a writer of a FIFO, and refuses FIFOs and
// devices. It accepts what somebody has opened for us, such as /dev/stdin and `<(command)`, and /dev/null.
[[nodiscard]] Result<Fd> open_whole_input(const std::string& path);
// True if open_whole_input() refuses what `fd` is.
[[nodiscard]] bool is_fifo_or_device(int fd);

// The functions below use `path` only for the error (ErrorCode::io). The caller keeps the descriptor.

// Fills `out` from `offset` on. Returns fewer bytes only at the end of the file. Does not move the file position.
[[nodiscard]] Result<std::size_t> read_full_at(int fd, std::uint64_t offset, std::span<std::byte> out,
                                               std::string_view path);
// Fills `out` from a stream (pipe, terminal, file position). Returns fewer bytes only at the end of the stream.
[[nodiscard]] Result<std::size_t> read_full(int fd, std::span<std::byte> out, std::string_view path);
[[nodiscard]] Status write_full_at(int fd, std::uint64_t offset, ByteView data, std::string_view path);
// Writes to a stream. Waits if the descriptor is non-blocking and full. If the reader has gone, this is an error only
// if SIGPIPE is ignored.
[[nodiscard]] Status write_full(int fd, ByteView data, std::string_view path);

// Shows whether a source was changed while it was read: take one before and one after, and compare them.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    bool regular = false;  // not a pipe, terminal, device or directory: `size` is valid and pread works
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
[[nodiscard]] Result<FileIdentity> identify(int fd, std::string_view path);

}  // namespace azlock
