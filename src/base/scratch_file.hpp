// A file without a name, for data that is too large for memory.
#pragma once

#include <string>

#include "base/file.hpp"

namespace azlock {

// Opens the file for reading and writing, close-on-exec, on the file system of `folder`. It disappears when its last
// descriptor is closed, even if the process is killed. Error: io.
[[nodiscard]] Result<Fd> make_scratch_file(const std::string& folder);

// TMPDIR, or /tmp.
[[nodiscard]] std::string scratch_folder();

}  // namespace azlock
