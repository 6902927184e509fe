// What became of a lock and its command, as JSON: in --status-file, and for the command's own azlock in a file that has
// no name (/proc/PID/fd/N).
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "cli/output/output.hpp"

namespace azlock::cli {

struct LockStatus {
    std::string outcome = "waiting";  // waiting held ran busy lost timeout not_started signalled error
    std::string name;
    std::string url;
    std::uint64_t slot = 0;
    std::optional<std::uint64_t> fence;
    std::optional<int> pid;
    std::optional<int> wait_status;
    std::optional<int> exit_code;  // of azlock
    std::chrono::milliseconds waited{0};
    std::optional<std::chrono::milliseconds> held;
    std::string reason;
};
[[nodiscard]] Json to_json(const LockStatus& status);

// Thread-safe.
class StatusFile {
  public:
    // `path` empty: only the file without a name.
    [[nodiscard]] static Result<StatusFile> create(std::string path);

    // Replaces the named file, whole. Error: io.
    [[nodiscard]] Status write(const LockStatus& status);
    // When the command is ended unless the lease is renewed before; kNoDeadline: never.
    void set_term_point(BootTime term_at);
    // For AZLOCK_STATUS_FILE: `path` in full, or that of the file without a name.
    [[nodiscard]] std::string path() const;
    // For AZLOCK_KEEPER.
    [[nodiscard]] std::string keeper_path() const;

  private:
    std::string path_;
    Fd keeper_;
};

// What AZLOCK_KEEPER says; nullopt where it cannot be read (another machine, a container, azlock is gone).
[[nodiscard]] std::optional<BootTime> read_term_point(const std::string& keeper_path);

}  // namespace azlock::cli
