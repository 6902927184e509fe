// Repeats requests as long as an outage may last, and reports when an outage begins and ends.
#pragma once

#include "azure/client.hpp"
#include "ops/transfer/outage.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::ops {

struct OutageRetryOptions {
    // How long to retry, counted from the first of several failures; nullopt: forever.
    std::optional<std::chrono::nanoseconds> retry_for;
    OutageTold told;
    Count* counted = nullptr;  // gets each retry, too; or null
};

// For one thread. The client must make one attempt per call, because this class cannot see the retries of a client.
class OutageRetry {
  public:
    // Retrying ends at the call's deadline and when its stop is requested.
    OutageRetry(azure::BlobClient& client, OutageRetryOptions options, azure::Call call);

    // For one attempt that sends or gets `bytes`: 10 s, plus the time for the bytes at 64 KiB/s. A lease of 15 s does
    // not end during a short attempt.
    [[nodiscard]] azure::Call attempt(std::uint64_t bytes = 0) const;
    [[nodiscard]] Deadline deadline() const { return call_.deadline; }
    // A stop was requested, or the deadline has passed.
    [[nodiscard]] bool over() const;

    // The failures of one request since its last success.
    struct Failing {
        std::optional<BootTime> since;
        int count = 0;
        bool told = false;
    };
    // Waits before the next attempt. Error: no attempt may follow, because waiting cannot help or the time is over.
    [[nodiscard]] Status pause(Failing& failing, const Error& failure);
    void succeeded(Failing& failing);

    // Repeats a request that may be sent any number of times. `bytes`: that it sends or gets.
    template <typename Ask>
    [[nodiscard]] auto ask(const Ask& ask_once, std::uint64_t bytes = 0) {
        Failing failing;
        for (;;) {
            auto answer = ask_once(attempt(bytes));
            if (answer) {
                answered_ = true;
                succeeded(failing);
                return answer;
            }
            if (auto go_on = pause(failing, answer.error()); !go_on) {
                answer = fail(go_on.error());
                return answer;
            }
        }
    }

    // Waits. False: the call's stop or deadline came first.
    [[nodiscard]] bool wait(std::chrono::nanoseconds span);

    // True if another attempt may succeed: there was no answer, or, after the service has answered once, a page of
    // somebody in between.
    [[nodiscard]] bool is_passing(const Error& error) const;

    [[nodiscard]] std::uint64_t retries() const { return retries_; }

  private:
    azure::BlobClient& client_;
    Clock& clock_;
    OutageRetryOptions options_;
    azure::Call call_;
    std::uint64_t retries_ = 0;
    bool answered_ = false;
};

}  // namespace azlock::ops
