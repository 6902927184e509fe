// What a command works with: settings, output, clock, the stop token, and clients made when they are asked for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "cli/output/output.hpp"
#include "cli/output/wire_log.hpp"
#include "cli/settings/settings.hpp"
#include "os/guard.hpp"
#include "os/signals.hpp"

namespace azlock::cli {

// A client for one account together with what it borrows.
class Session {
  public:
    Session(http::Transport& transport, Clock& clock, Random& random, azure::Endpoint endpoint,
            azure::Credential credential, azure::PipelineOptions options, azure::Observer* observer)
        : pipeline_(transport, clock, random, std::move(credential), std::move(options), observer),
          client_(pipeline_, std::move(endpoint)) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    [[nodiscard]] azure::BlobClient& client() { return client_; }

  private:
    azure::Pipeline pipeline_;
    azure::BlobClient client_;
};

// A TARGET that is ready to be used.
struct Opened {
    std::unique_ptr<Session> session;
    azure::BlobAddress address;
    [[nodiscard]] azure::BlobClient& client() const { return session->client(); }
};

class Context {
  public:
    // `guards` and `command_line` are those of a command that runs a command.
    Context(const GlobalFlags& flags, os::SignalStop& signals, std::span<os::Guard> guards = {},
            std::vector<std::string> command_line = {});

    [[nodiscard]] Output& output() { return output_; }
    [[nodiscard]] const WireLog& wire() const { return wire_; }
    [[nodiscard]] bool verbose() const { return flags_.verbose > 0; }
    [[nodiscard]] Clock& clock() { return clock_; }
    // Deadline (--timeout, counted from the start) and stop token for every call of this command.
    [[nodiscard]] azure::Call call() const { return {deadline_, stop_}; }

    // The exit code of the process in place of the one that the command's outcome has in the table: for commands whose
    // exit code is somebody else's, or has a meaning of its own. An error is printed all the same.
    void set_exit_code(int code) { exit_code_ = code; }
    [[nodiscard]] std::optional<int> own_exit_code() const { return exit_code_; }

    // The command needs so long after a signal to end in good order (default 1 s), then the process ends by force.
    void take_time_to_stop(std::chrono::seconds span) { signals_.set_grace(span); }
    // What still has to be done although a stop was requested, such as giving a lease back.
    [[nodiscard]] azure::Call last_call(std::chrono::nanoseconds at_most) { return {clock_.after(at_most), {}}; }

    // What a transfer wants of its requests; the default is what short ones want.
    struct Tuning {
        std::uint64_t slowest_rate = 64 * 1024;  // bytes per second that every attempt is given time for
        std::optional<std::chrono::milliseconds> stall_timeout;
        azure::Observer* observer = nullptr;  // is told of every answer; must outlive the last request
    };
    void tune(const Tuning& tuning);

    // The arguments of this process, for same_command().
    void set_arguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
    // The command line that runs this command again, for a shell, without the flags named; "run the same command again"
    // where it holds a secret.
    [[nodiscard]] std::string same_command(const std::vector<std::string>& without) const;

    // The command that stood after `--` (Commands::take_command).
    [[nodiscard]] const std::vector<std::string>& command_line() const { return command_line_; }
    // For commands that run it under a guard (Commands::add_running).
    [[nodiscard]] os::Guard& guard() { return guards_.front(); }
    [[nodiscard]] std::span<os::Guard> guards() { return guards_; }
    [[nodiscard]] os::SignalStop& signals() { return signals_; }

    // Read once, at the first call of any of these.
    [[nodiscard]] Result<Settings> settings();
    [[nodiscard]] Result<Opened> open(const std::string& target);
    // The same, with one attempt for each request: the caller repeats. Connections are shared with other sessions.
    [[nodiscard]] Result<Opened> open_single(const std::string& target);
    [[nodiscard]] Result<int> retries();
    [[nodiscard]] Result<Opened> open_account();

  private:
    [[nodiscard]] Result<Opened> open(const std::string& target, bool single);
    [[nodiscard]] Result<Opened> connect(Access access, bool single = false);

    GlobalFlags flags_;
    os::SignalStop& signals_;
    std::span<os::Guard> guards_;
    std::vector<std::string> command_line_;
    std::stop_token stop_;
    SystemClock clock_;
    SystemRandom random_;
    Output output_;
    WireLog wire_;
    BootTime start_;
    Deadline deadline_ = kNoDeadline;
    std::optional<Settings> settings_;
    std::unique_ptr<http::Transport> transport_;
    std::optional<int> exit_code_;
    Tuning tuning_;
    std::vector<std::string> arguments_;
};

}  // namespace azlock::cli
