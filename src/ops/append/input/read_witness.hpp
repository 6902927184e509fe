// Tells whether a regular file still holds the bytes that were read from it.
#pragma once

#include <optional>

#include "base/file.hpp"
#include "base/xxh3.hpp"

namespace azlock::ops {

// A file that only grew meanwhile still holds them. One that was truncated or rewritten does not: what was read is then
// perhaps a mix of two versions. For a pipe, a socket or a terminal nothing is checked.
class ReadWitness {
  public:
    // To be made before the first byte is read from the descriptor's position. The caller keeps `fd`; `name` is for
    // messages.
    ReadWitness(int fd, std::string name);

    // The next bytes that were read, in order.
    void saw(ByteView data);
    // Reads the bytes again if the file was written since. Errors: data (the file does not hold them any more), io.
    [[nodiscard]] Status check();

  private:
    int fd_;
    std::string name_;
    std::optional<FileIdentity> before_;  // of a regular file
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    Xxh3 seen_;
};

}  // namespace azlock::ops
