// A file that is locked and still has its name.
#pragma once

#include <functional>
#include <string>

#include "base/file.hpp"

namespace azlock {

// Opens the file with `open` and locks it with `lock`. Repeats both if the file lost its name or was replaced in
// between, as other processes may do that hold the lock. Errors: io; those of `open` and `lock`.
[[nodiscard]] Result<Fd> open_locked(const std::string& path, const std::function<Result<Fd>()>& open,
                                     const std::function<Status(int fd)>& lock);

}  // namespace azlock
