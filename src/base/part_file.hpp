// Files that are being written under a name of their own, and those that a killed azlock has left behind.
#pragma once

#include <string>

#include "base/file.hpp"

namespace azlock {

struct PartFile {
    Fd fd;  // for writing, close-on-exec; locked (flock) as long as a copy of it is open
    std::string path;
};

// Makes ".azlock-ID.part" in `folder` ("" is the current one; else it ends in '/'). Error: that of open(), with `path`
// as the name of what is to be written.
[[nodiscard]] Result<PartFile> make_part_file(const std::string& folder, unsigned mode, std::string_view path);

// Removes part files of this user that nobody holds open any more. What cannot be removed stays. On a file system whose
// locks other machines do not see, it could be the file of a process there; that process then reports the loss.
void sweep_part_files(const std::string& folder) noexcept;

}  // namespace azlock
