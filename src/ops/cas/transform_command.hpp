// An update that a command makes: old content on its standard input, new content from its standard output.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "ops/cas/transform.hpp"

namespace azlock::ops {

struct CommandOptions {
    std::vector<std::string> argv;
    std::string blob;                           // AZLOCK_BLOB
    std::uint64_t max_size = 64 * 1024 * 1024;  // of its output, in bytes
    std::optional<int> skip_code;               // this exit code: leave the blob as it is
    std::optional<std::chrono::milliseconds> run_timeout;
    bool own_group = true;             // false: it shares our process group, and so the terminal
    std::function<int()> stop_signal;  // what is sent to it where a stop is requested; default TERM
};

// Runs the command again for each version, with AZLOCK_ETAG (empty where there is no blob), AZLOCK_ATTEMPT and
// AZLOCK_BLOB. Not thread-safe.
class CommandTransform {
  public:
    CommandTransform(CommandOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

    // Errors: data where it failed, or gave too much; cancelled, unavailable where call's stop or deadline came: it is
    // told to end then, and killed where it does not.
    [[nodiscard]] Result<CasOutput> run(const CasInput& input, const azure::Call& call);

    // What an error of run() is to a shell: the command's own code, 128 + the signal that killed it, 124 for the
    // timeout, 126 and 127 where it cannot be started. nullopt for other errors.
    [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

  private:
    CommandOptions options_;
    Clock& clock_;
    std::optional<int> exit_code_;
};

}  // namespace azlock::ops
