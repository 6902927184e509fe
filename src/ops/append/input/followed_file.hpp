// One of the files that a followed name had: it is read on as it grows, and again if it was truncated.
#pragma once

#include <vector>

#include "ops/append/input/name_watch.hpp"

namespace azlock::ops {

// Compares what is before the reading position with what was read there, at most 4 KiB. So a file that was
// truncated and has grown again is recognised, unless it has the same bytes in that place.
class FollowedFile {
  public:
    FollowedFile(NamedFile file, std::string path) : fd_(std::move(file.fd)), path_(std::move(path)) {}

    // The bytes that the file has now count as read. Error: io.
    [[nodiscard]] Status skip_to_end();

    enum class Got { bytes, nothing, truncated };
    struct Read {
        Got got = Got::nothing;
        std::size_t size = 0;  // with `bytes`
    };
    // `truncated`: the next read begins at the file's beginning, after the NUL bytes that a truncation leaves there if
    // the program that writes goes on at its old position. Error: io.
    [[nodiscard]] Result<Read> read(std::span<std::byte> out);
    // Bytes from the reading position to the end of the file. Error: io.
    [[nodiscard]] Result<std::uint64_t> left() const;

  private:
    [[nodiscard]] Read begin_again();
    void remember(ByteView data);

    Fd fd_;
    std::string path_;
    std::uint64_t offset_ = 0;     // read up to here
    std::vector<std::byte> tail_;  // the last bytes before it
    bool skip_nuls_ = false;
};

}  // namespace azlock::ops
