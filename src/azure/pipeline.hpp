// One request's way to the service: stamp a client request id, then per attempt date, sign, send, classify; retry.
#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <string>

#include "azure/credential.hpp"
#include "azure/requests.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "http/retry.hpp"
#include "http/transport.hpp"

namespace azlock::azure {

// How long one call may go on. Every client method takes one.
struct Call {
    Deadline deadline = kNoDeadline;
    std::stop_token stop;
    // The query parameter `timeout` in seconds: the service gives up by itself after it. Empty: not sent.
    std::optional<int> server_timeout = {};
};

// Is told what happens on the wire, for logs and counts. Called from any thread, several at once. It changes nothing.
class Observer {
  public:
    virtual ~Observer() = default;
    // Before each attempt (counted from 1); the request is final and signed.
    virtual void sending(const Operation& /*op*/, int /*attempt*/) {}
    virtual void answered(const Operation& /*op*/, const http::Response& /*answer*/,
                          std::chrono::nanoseconds /*took*/) {}
    virtual void failed(const Operation& /*op*/, const Error& /*error*/) {}
    virtual void retrying(const Operation& /*op*/, const Error& /*why*/, std::chrono::milliseconds /*wait*/) {}
    // A 403 that carries what the service signed [blob-rest 1.4]. Neither text holds a secret; ours is empty unless a
    // key signed.
    virtual void signature_refused(const std::string& /*ours*/, const std::string& /*theirs*/) {}
};

struct PipelineOptions {
    http::RetryPolicy retry;
    // One attempt may take try_timeout plus its bytes (sent and received) at a sixteenth of the rate that was measured
    // lately, or at slowest_rate where that is more time or nothing was measured yet.
    std::chrono::milliseconds try_timeout{60'000};
    std::uint64_t slowest_rate = 64 * 1024;  // bytes per second
    // An attempt whose body does not move for so long, in either direction, is given up: timeout.
    std::chrono::milliseconds stall_timeout{30'000};
    std::string api_version = kDefaultApiVersion;
    std::string user_agent = "azlock";
};

struct Answer {
    http::Response response;
    int attempts = 1;
    // An attempt before the last one (or a copy that the transport sent) may have been carried out too.
    bool repeated = false;
};

// Thread-safe. Borrows everything it is given.
class Pipeline {
  public:
    Pipeline(http::Transport& transport, Clock& clock, Random& random, Credential credential, PipelineOptions options,
             Observer* observer = nullptr);

    // Before anything is sent: a header value that would not be one line is an error (usage).
    // Success is an answer with one of the operation's expected statuses. Every other outcome is an Error; its
    // may_have_applied tells whether any attempt of a write may have been carried out. A Replay::ambiguous operation is
    // not sent again after such an attempt.
    [[nodiscard]] Result<Answer> send(Operation op, const Call& call);

    [[nodiscard]] Clock& clock() const { return clock_; }
    [[nodiscard]] Random& random() const { return random_; }

  private:
    [[nodiscard]] Deadline try_deadline(const Operation& op, const Call& call) const;
    void learn_rate(std::uint64_t bytes, std::chrono::nanoseconds took);
    [[nodiscard]] Result<http::Response> attempt_once(Operation& op, const Call& call, int attempt);
    [[nodiscard]] Error refused(const Operation& op, const http::Response& response);
    [[nodiscard]] std::optional<Error> probe(const Operation& op, const Call& call);

    http::Transport& transport_;
    Clock& clock_;
    Random& random_;
    Credential credential_;
    PipelineOptions options_;
    Observer* observer_;
    std::atomic<std::uint64_t> measured_rate_{0};  // bytes per second of large bodies lately; 0: not known
};

}  // namespace azlock::azure
