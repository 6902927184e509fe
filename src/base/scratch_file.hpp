// A file without a name, for what does not belong in memory.
#pragma once

#include <string>

#include "base/file.hpp"

namespace azlock {

// Readable and writable, close-on-exec, on the file system of `folder`; it goes away with its last descriptor, also
// when the process is killed. Error: io.
[[nodiscard]] Result<Fd> make_scratch_file(const std::string& folder);

// TMPDIR, or /tmp.
[[nodiscard]] std::string scratch_folder();

}  // namespace azlock
