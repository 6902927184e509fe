// What a command works with: settings, output, clock, stop token, and clients that are made on demand.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "cli/output/output.hpp"
#include "cli/output/status_file.hpp"
#include "cli/output/wire_log.hpp"
#include "cli/program/surroundings.hpp"
#include "cli/settings/settings.hpp"
#include "ops/transfer/tuning.hpp"
#include "os/guard.hpp"
#include "os/signals.hpp"

namespace azlock::cli {

// A client for one account, with the pipeline that it uses.
struct AccountClient {
    AccountClient(http::Transport& transport, Clock& clock, Random& random, azure::Endpoint endpoint,
                  azure::Credential credential, azure::PipelineOptions options, azure::Observer* observer)
        : pipeline(transport, clock, random, std::move(credential), std::move(options), observer),
          client(pipeline, std::move(endpoint)) {}
    AccountClient(const AccountClient&) = delete;
    AccountClient& operator=(const AccountClient&) = delete;

    azure::Pipeline pipeline;
    azure::BlobClient client;
};

// A TARGET that is ready to be used.
struct Opened {
    std::unique_ptr<AccountClient> account;
    azure::BlobAddress address;
    [[nodiscard]] azure::BlobClient& client() const { return account->client; }
};

class Context {
  public:
    // `guards` and `command_line` are those of a command that runs a command. All references must outlive this.
    Context(const Surroundings& surroundings, const GlobalFlags& flags, os::SignalStop& signals,
            std::span<os::Guard> guards = {}, std::vector<std::string> command_line = {});

    [[nodiscard]] Output& output() { return output_; }
    [[nodiscard]] StatusFile& status_file() { return status_file_; }
    [[nodiscard]] const WireLog& wire() const { return wire_; }
    [[nodiscard]] WireLog& wire() { return wire_; }
    [[nodiscard]] const std::string& color() const { return flags_.color; }  // --color
    [[nodiscard]] bool verbose() const { return flags_.verbose > 0; }
    [[nodiscard]] Clock& clock() { return surroundings_.clock; }
    [[nodiscard]] Random& random() { return surroundings_.random; }
    // Deadline (--timeout, counted from the start) and stop token for every call of this command.
    [[nodiscard]] azure::Call call() const { return {deadline_, stop_}; }

    // Sets the exit code of the process, instead of the outcome's code in the table: for commands that pass on the exit
    // code of another program, or have special codes. An error is still printed.
    void set_exit_code(int code) { exit_code_ = code; }
    [[nodiscard]] std::optional<int> own_exit_code() const { return exit_code_; }

    // How long the command may take after a signal to clean up (default 1 s). After that time azlock kills the process.
    void take_time_to_stop(std::chrono::seconds span) { signals_.set_grace(span); }
    // Asks the user and returns one line; empty if nobody can be asked. Error: cancelled, if a signal came first.
    [[nodiscard]] std::function<Result<std::string>(const std::string& question)> ask();

    // For the requests of all clients that are opened from now on.
    void tune(const ops::Tuning& tuning);

    // The arguments of this process, for same_command().
    void set_arguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
    // requests, retries, seconds: what a command has cost since `start`, for its result.
    [[nodiscard]] Json costs(BootTime start);
    // The shell command line that runs this command again, without the flags in `without`; "run the same command again"
    // if it contains a secret.
    [[nodiscard]] std::string same_command(const std::vector<std::string>& without) const;

    // The command after `--` (Commands::take_command).
    [[nodiscard]] const std::vector<std::string>& command_line() const { return command_line_; }
    // For commands that run it under a guard (Commands::add_running).
    [[nodiscard]] os::Guard& guard() { return guards_.front(); }
    [[nodiscard]] std::span<os::Guard> guards() { return guards_; }
    [[nodiscard]] os::SignalStop& signals() { return signals_; }

    // The settings are read once, at the first call of any of these functions.
    [[nodiscard]] Result<Settings> settings();
    [[nodiscard]] Result<Opened> open(const std::string& target) { return open(target, false); }
    // The same for a blob that is read or deleted: its name may be any that a listing has (pin_listed_blob).
    [[nodiscard]] Result<Opened> open_listed(const std::string& target, azure::Conditions& conditions);
    // The same for a prefix of such names.
    [[nodiscard]] Result<Opened> open_prefix(const std::string& target) {
        return open(target, false, azure::Names::listed);
    }
    // As open(), but each request has one attempt: the caller repeats it. Connections are shared with the other clients
    // of this command.
    [[nodiscard]] Result<Opened> open_single(const std::string& target) { return open(target, true); }
    [[nodiscard]] Result<int> retries();
    // How open()'s client repeats a request.
    [[nodiscard]] http::RetryPolicy retry_policy() const;
    [[nodiscard]] Result<Opened> open_account();
    // Logs in with what this environment has. A login of one cloud is shared by all clients.
    [[nodiscard]] Login login();

  private:
    [[nodiscard]] Result<http::Transport*> transport();

    [[nodiscard]] Result<Opened> open(const std::string& target, bool single, azure::Names names = azure::Names::kept);
    [[nodiscard]] Result<Opened> connect(Access access, bool single = false);

    const Surroundings& surroundings_;
    GlobalFlags flags_;
    os::SignalStop& signals_;
    std::span<os::Guard> guards_;
    std::vector<std::string> command_line_;
    std::stop_token stop_;
    Output output_;
    StatusFile status_file_;
    WireLog wire_;
    BootTime start_;
    Deadline deadline_ = kNoDeadline;
    std::optional<Settings> settings_;
    std::unique_ptr<http::Transport> transport_;
    std::map<std::string, std::shared_ptr<azure::Tokens>> logins_;  // by authority; they use the transport
    std::optional<int> exit_code_;
    ops::Tuning tuning_;
    std::vector<std::string> arguments_;
};

}  // namespace azlock::cli
