// An update from its preparation to its end, with the outcome that the exit code and the status file tell.
#pragma once

#include "ops/cas/request.hpp"

namespace azlock::ops {

struct CasRun {
    CasOptions options;
    CasTransform transform;                 // without a command
    std::optional<CommandOptions> command;  // its `blob` is set by run_cas()
};

// Errors: those of make_cas_options() and make_transform().
[[nodiscard]] Result<CasRun> prepare_cas(const CasRequest& request, const ReadFile& read);

struct CasEnd {
    Result<CasReport> report;
    // "written", "unchanged" or "skipped"; after an error "not_started", "command_failed" or "timeout" if the command
    // caused it, else "error".
    const char* outcome = "";
    std::optional<int> exit_code = {};          // of azlock, if the command caused the error
    std::optional<int> command_exit_code = {};  // of a command that ended by itself and failed
};

// After a signal: time to end the command and to release a lease.
inline constexpr std::chrono::seconds kCasStopTime{9};

// A blob that is created without a content type gets that of its name.
[[nodiscard]] CasEnd run_cas(azure::BlobClient& client, const azure::BlobAddress& blob, CasRun run,
                             const azure::Call& call);

}  // namespace azlock::ops
