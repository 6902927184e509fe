// A command under a lock as a user orders it: the status file, and the exit code of each end.
#pragma once

#include "ops/lock/locked_run.hpp"

namespace azlock::ops {

// azlock's exit codes for ends that have none of their own.
struct LockCodes {
    std::optional<int> busy;                    // instead of that of the error
    std::function<int(const Error&)> of_error;  // from the table of exit codes
};

// The command's own code if it ran, else 124 to 127, 128+N, or one of `codes`.
[[nodiscard]] int exit_code_of(const LockedRunEnd& end, const LockCodes& codes);

struct LockOrder {
    LockedRunOptions run;  // all but `blobs` and `status_path`
    LockCodes codes;
    std::string status_file;  // replaced as a whole with each status; empty: none
    // What is written there. `exit_code`: of azlock, once it is known.
    std::function<std::string(const LockStatus& status, std::optional<int> exit_code)> text_of;
    std::function<void(const Error&)> complain;      // a status after the first could not be written
    std::function<LockedRunEnd(LockedRun& run)> go;  // runs it, once or term after term
};

// How long azlock takes to end after the signals that end its command.
inline constexpr std::chrono::seconds kLockStopTime{4};

// Calls `go` with a run that is ready. `parts`: without `note` and `ended`. If ^C ended the command, this does not
// return: azlock and its process group end by it, too. Errors: usage (the address is no lock), io.
[[nodiscard]] Result<LockedRunEnd> run_lock_order(const LockOrder& order, const azure::BlobAddress& address,
                                                  LockedRunParts parts);

}  // namespace azlock::ops
