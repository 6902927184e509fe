// Writes a file whole or not at all: it writes a temporary file in the same folder, then renames it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/file.hpp"

namespace azlock {

// Before commit(), the file at the final name does not change. Without commit(), the destructor removes the temporary
// file. SIGKILL or a crash leaves it behind; sweep_part_files() removes it.
//  * A new file gets the mode that the umask gives. A replaced file keeps its mode and, if permitted, its owner. A file
//    that we may not write is not replaced.
//  * A symbolic link stays. The file that it points to is replaced.
//  * Anything but a regular file (/dev/null, /dev/stdout, a FIFO) is opened and written directly. Written bytes cannot
//  be
//    taken back, and discard() leaves them.
//  * Directories are refused. Errors are ErrorCode::io and name the file.
class AtomicFile {
  public:
    // Opening a FIFO waits for its reader.
    [[nodiscard]] static Result<AtomicFile> create(const std::string& path);

    AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    ~AtomicFile() { discard(); }

    // Takes any offsets in any order, from any number of threads at once. Gaps read as zeros. If !random_access() (a
    // FIFO, a terminal): from one thread at a time, and each write must continue where the last one ended.
    [[nodiscard]] Status write_at(std::uint64_t offset, ByteView data);
    // Reserves the space for a file of `size` bytes, if the file system can do that. Error: there is not enough, or the
    // process may not write so much.
    [[nodiscard]] Status reserve(std::uint64_t size);
    // Cuts or extends the file to `size` bytes.
    [[nodiscard]] Status resize(std::uint64_t size);
    // The file gets this modification time (seconds since 1970), if it is permitted. To be called after the last write.
    void set_modified(std::int64_t seconds) const noexcept;
    // Flushes the bytes to the disk, gives the file its final name, then flushes the directory. Call it once; nothing
    // can be written afterwards. If it fails before the rename, the file at the final name has not changed.
    [[nodiscard]] Status commit();
    // Removes the temporary file now. No effect after commit().
    void discard() noexcept;

    [[nodiscard]] bool random_access() const { return random_access_; }
    // The path that create() got.
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    AtomicFile() = default;
    [[nodiscard]] Status open_in_place();
    [[nodiscard]] Status open_temporary(unsigned mode);
    [[nodiscard]] Error error(std::string_view action, int errno_value) const;

    std::string path_;       // as given
    std::string final_;      // the path after following links: the new name of the temporary file
    std::string temporary_;  // empty: nothing to rename or remove
    Fd fd_;
    std::uint64_t position_ = 0;  // where the next write to a stream must begin
    bool random_access_ = true;
    bool in_place_ = false;
};

// Writes the whole file through an AtomicFile.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view text);

}  // namespace azlock
