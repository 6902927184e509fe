// What a command works with: settings, output, clock, the stop token, and clients made when they are asked for.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "azure/client.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "cli/wire_log.hpp"

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
    Context(const GlobalFlags& flags, std::stop_token stop);

    [[nodiscard]] Output& output() { return output_; }
    [[nodiscard]] const WireLog& wire() const { return wire_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    // Deadline (--timeout, counted from the start) and stop token for every call of this command.
    [[nodiscard]] azure::Call call() const { return {deadline_, stop_}; }

    // Settings are read once, at the first call.
    [[nodiscard]] Result<Opened> open(const std::string& target);
    [[nodiscard]] Result<Opened> open_account();

  private:
    [[nodiscard]] Result<Settings> settings();
    [[nodiscard]] Result<Opened> connect(Access access);

    GlobalFlags flags_;
    std::stop_token stop_;
    SystemClock clock_;
    SystemRandom random_;
    Output output_;
    WireLog wire_;
    BootTime start_;
    Deadline deadline_ = kNoDeadline;
    std::optional<Settings> settings_;
    std::unique_ptr<http::Transport> transport_;
};

}  // namespace azlock::cli
