// A file that appears under its name whole or not at all: written beside it, then renamed over it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/file.hpp"

namespace azlock {

// Until commit() the final name is not touched: it holds what it held before, or nothing. Without commit() the
// temporary file is removed by the destructor (only SIGKILL or a crash leaves a ".azlock-*.part" behind).
//  * A new file gets the mode that the umask gives; a replaced one keeps its mode and, as far as permitted, its owner.
//    A file that we may not write is not replaced.
//  * A symbolic link stays; the file that it points to is replaced.
//  * What is no regular file (/dev/null, /dev/stdout, a FIFO) is opened and written directly: see in_place().
//  * Directories are refused. Errors are ErrorCode::io and name the file.
class AtomicFile {
  public:
    // Opening a FIFO waits for its reader.
    [[nodiscard]] static Result<AtomicFile> create(const std::string& path);

    AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    ~AtomicFile() { discard(); }

    // Any offsets in any order, from any number of threads at once; gaps read as zeros. Where !random_access() (a FIFO,
    // a terminal), only each next byte, from one thread at a time.
    [[nodiscard]] Status write_at(std::uint64_t offset, ByteView data);
    // Asks the file system to set the space aside now, so that a full disk shows before the work. No error where it
    // cannot do that. Never called by this class itself.
    [[nodiscard]] Status preallocate(std::uint64_t size);
    // Cuts or extends to `size`.
    [[nodiscard]] Status resize(std::uint64_t size);
    // Flushes the bytes to the disk, then gives the file its name, then flushes the directory. Once; nothing can be
    // written afterwards. On an error before the rename the final name is as it was.
    [[nodiscard]] Status commit();
    // Removes the temporary file now. No effect after commit().
    void discard() noexcept;

    [[nodiscard]] bool random_access() const { return random_access_; }
    // Written directly: bytes cannot be taken back, and discard() leaves them.
    [[nodiscard]] bool in_place() const { return in_place_; }
    // As it was given to create().
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    AtomicFile() = default;
    [[nodiscard]] Status open_in_place();
    [[nodiscard]] Status open_temporary(unsigned mode);
    [[nodiscard]] Error error(std::string_view action, int errno_value) const;

    std::string path_;       // as given
    std::string final_;      // after following links: what the temporary file is renamed to
    std::string temporary_;  // empty: nothing to rename or remove
    Fd fd_;
    std::uint64_t position_ = 0;  // of a stream
    bool random_access_ = true;
    bool in_place_ = false;
};

}  // namespace azlock
