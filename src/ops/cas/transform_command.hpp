// An update by a command: it reads the old content on standard input and writes the new content to standard output.
#pragma once

#include "ops/cas/transform.hpp"

namespace azlock::ops {

struct CommandOptions {
    std::vector<std::string> argv;
    std::string blob;                           // AZLOCK_BLOB
    std::uint64_t max_size = 64 * 1024 * 1024;  // of its output, in bytes
    std::optional<int> skip_code;               // this exit code: leave the blob as it is
    std::optional<std::chrono::milliseconds> run_timeout;
    bool own_group = true;             // false: it shares our process group, and so the terminal
    std::function<int()> stop_signal;  // the signal for the command if a stop is requested; default TERM
};

// Why the command made no new content.
struct CommandFailure {
    enum class Kind { not_started, failed, timed_out };
    Kind kind = Kind::failed;
    int exit_code = 0;  // as a shell gives it: its own, 128 + the signal that killed it, 124, 126 or 127
};

// Runs the command again for each version, with AZLOCK_ETAG (empty if there is no blob), AZLOCK_ATTEMPT and
// AZLOCK_BLOB. Not thread-safe.
class CommandTransform {
  public:
    CommandTransform(CommandOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

    // Errors: data if the command failed, ran for too long or wrote too much; cancelled or unavailable if the call's
    // stop or deadline came. A command that must end gets a signal first, and is killed if it does not end.
    [[nodiscard]] Result<CasOutput> run(const CasInput& input, const azure::Call& call);

    // nullopt: run() had no error, or one that the command did not cause.
    [[nodiscard]] const std::optional<CommandFailure>& failure() const { return failure_; }

  private:
    CommandOptions options_;
    Clock& clock_;
    std::optional<CommandFailure> failure_;
};

}  // namespace azlock::ops
