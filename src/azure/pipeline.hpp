// Sends one request to the service: sets a client request id, then for each attempt: date, sign, send, classify; then
// retries.
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

// The limits of one call. Every client method takes one.
struct Call {
    Deadline deadline = kNoDeadline;
    std::stop_token stop;
    // The query parameter `timeout` in seconds: the service itself gives up after it. Empty: not sent.
    std::optional<int> server_timeout = {};
    // If the body will take longer than this, or an attempt times out, the call fails at once (fault timeout), because
    // the caller wants to send less. 0: no limit.
    std::chrono::milliseconds longest_send{0};
};

// Gets events about requests and answers, for logs and counts. Called from any thread, from several at once. It changes
// nothing.
class Observer {
  public:
    virtual ~Observer() = default;
    // Before each attempt (counted from 1); the request is final and signed.
    virtual void sending(const Operation& /*op*/, int /*attempt*/) {}
    virtual void answered(const Operation& /*op*/, const http::Response& /*answer*/,
                          std::chrono::nanoseconds /*took*/) {}
    virtual void failed(const Operation& /*op*/, const Error& /*error*/) {}
    virtual void retrying(const Operation& /*op*/, const Error& /*why*/, std::chrono::milliseconds /*wait*/) {}
    // A 403 came that contains the text that the service signed [Shared Key]. Neither text holds a
    // secret. `ours` is empty unless a key signed.
    virtual void signature_refused(const std::string& /*ours*/, const std::string& /*theirs*/) {}
};

struct PipelineOptions {
    http::RetryPolicy retry;
    // An attempt ends with a timeout if nothing moves for try_timeout plus the time for its bytes (sent and received),
    // which may wait in a buffer on the way. That time is computed from a sixteenth of the rate that was measured
    // lately, or from slowest_rate if that is faster or nothing was measured yet. As long as its bytes move, an attempt
    // is limited by the call's deadline alone.
    std::chrono::milliseconds try_timeout{60'000};
    std::uint64_t slowest_rate = 64 * 1024;  // bytes per second
    // If no byte of the body of an attempt moves for this long, in either direction, the attempt ends with a timeout.
    std::chrono::milliseconds stall_timeout{30'000};
    std::string api_version = kDefaultApiVersion;
    std::string user_agent = "azlock";
};

// Thread-safe. Borrows the transport, the clock, the random generator and the observer; they must outlive it.
class Pipeline {
  public:
    Pipeline(http::Transport& transport, Clock& clock, Random& random, Credential credential, PipelineOptions options,
             Observer* observer = nullptr);

    // A header value with a control character or a byte beyond ASCII is an error (usage) before anything is sent.
    // Success is an answer with one of the expected statuses of the operation. Every other outcome is an Error. Its
    // may_have_applied says whether any attempt of a write may have been carried out. After such an attempt, a
    // Replay::ambiguous operation is not sent again. If the service refuses the token of a login, the request is sent
    // once more with a new token, even if the policy allows no retry.
    [[nodiscard]] Result<http::Response> send(Operation op, const Call& call);

    [[nodiscard]] Clock& clock() const { return clock_; }
    [[nodiscard]] Random& random() const { return random_; }
    [[nodiscard]] const Credential& credential() const { return credential_; }

  private:
    [[nodiscard]] std::chrono::milliseconds quiet_timeout(const Operation& op) const;
    [[nodiscard]] bool may_repeat(const Error& error, int attempts, BootTime first_failure) const;
    void learn_rate(std::uint64_t bytes, std::chrono::nanoseconds took);
    [[nodiscard]] Result<http::Response> attempt_once(Operation& op, const Call& call, int attempt,
                                                      Deadline patient_until);
    // `renewable`: another token of the same login may be accepted.
    [[nodiscard]] Error refused(const Operation& op, const http::Response& response, bool& renewable);
    [[nodiscard]] std::optional<Error> probe(const Operation& op, const Call& call, Deadline patient_until);

    http::Transport& transport_;
    Clock& clock_;
    Random& random_;
    Credential credential_;
    PipelineOptions options_;
    Observer* observer_;
    std::atomic<bool> answered_{false};            // the service has given an answer of its own
    std::atomic<std::uint64_t> measured_rate_{0};  // bytes per second of large bodies lately; 0: not known
};

}  // namespace azlock::azure
