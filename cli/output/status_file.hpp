// The file of --status-file: how a command ended, as JSON, for whoever reads it afterwards.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output/json.hpp"

namespace azlock::cli {

// Each write replaces the whole file. Nothing is ever left of an earlier run.
class StatusFile {
  public:
    // No file: nothing is written.
    StatusFile() = default;
    // Writes the outcome "starting", so that a file that cannot be written is found before anything is changed. An
    // empty path: no file. Errors: io; usage (something other than a regular file).
    [[nodiscard]] static Result<StatusFile> begin(const std::string& path);

    // Error: io.
    [[nodiscard]] Status write(const Json& status);
    // True if a write() failed.
    [[nodiscard]] bool failed() const { return failed_; }
    // The command ended with this error and exit code. Writes the outcome "error", unless the command has written its
    // own.
    void end(const Error& error, int exit_code) const;

  private:
    std::string path_;
    bool failed_ = false;
};

}  // namespace azlock::cli
