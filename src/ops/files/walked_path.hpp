// Opens a file that a walk has found, and no other: links that were put into its path meanwhile are not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file.hpp"

namespace azlock::ops {

// What a walk saw of a regular file.
struct WalkedFile {
    std::size_t root = 0;  // so much of the path's beginning may go through links; it is empty or ends in '/'
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
};

// Opens for reading, close-on-exec. Never waits for the writer of a pipe.
// Errors: input_missing (it cannot be opened), data (the path leads to another file than the walk saw, or through a
// link).
[[nodiscard]] Result<Fd> open_walked(const std::string& path, const WalkedFile& walked);

// Opens a directory below an open one (AT_FDCWD: any path), for its names or as the start of further paths. A last
// part that is a link is followed only with `follow`. Without a descriptor, errno says why.
[[nodiscard]] Fd open_directory(int above, const std::string& path, bool follow);

}  // namespace azlock::ops
