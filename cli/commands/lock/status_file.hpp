// The state of a lock and its command as JSON in --status-file.
#pragma once

#include <optional>
#include <string>

#include "cli/output/output.hpp"
#include "ops/lock/run_status.hpp"

namespace azlock::cli {

// `exit_code`: of azlock, once it is known.
[[nodiscard]] Json to_json(const ops::LockStatus& status, std::optional<int> exit_code);

class StatusFile {
  public:
    // Empty: there is no file, and nothing is written. Error: io, if the folder of a relative path cannot be found.
    [[nodiscard]] static Result<StatusFile> at(std::string path);

    // Replaces the whole file. Error: io.
    [[nodiscard]] Status write(const ops::LockStatus& status, std::optional<int> exit_code) const;
    // The absolute path; empty if there is no file.
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace azlock::cli
