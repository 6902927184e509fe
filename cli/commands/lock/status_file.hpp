// The state of a lock and its command as JSON in --status-file.
#pragma once

#include <optional>
#include <string>

#include "cli/output/output.hpp"
#include "ops/lock/locked_run.hpp"

namespace azlock::cli {

// The absolute path; empty for an empty path. Error: io, if the current folder cannot be found.
[[nodiscard]] Result<std::string> status_file_path(const std::string& path);

// Replaces the whole file; an empty path: nothing is written. `exit_code`: of azlock, once it is known. Error: io.
[[nodiscard]] Status write_status_file(const std::string& path, const ops::LockStatus& status,
                                       std::optional<int> exit_code);

}  // namespace azlock::cli
