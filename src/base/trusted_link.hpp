// Opens files whose name another user could have taken with a symbolic link.
#pragma once

#include <string>

#include "base/file.hpp"

namespace azlock {

// True if `path` is not a symbolic link, or is one that belongs to this user or to root. False: following it would let
// somebody else choose the file.
[[nodiscard]] bool link_is_trusted(const std::string& path);

// open(2) that follows a symbolic link only if it is trusted; else it fails with ELOOP in errno. The result is empty
// after a failure.
[[nodiscard]] Fd open_trusted(const std::string& path, int flags, unsigned mode = 0);

}  // namespace azlock
