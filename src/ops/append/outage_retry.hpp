// Goes on asking for as long as an outage may last, and tells when one begins and ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "azure/client.hpp"

namespace azlock::ops {

struct PersistenceOptions {
    // From the first failure in a row; not given: forever.
    std::optional<std::chrono::nanoseconds> retry_for;
    // An outage is told of once it has lasted for kTelling, and then its end is.
    std::function<void(const Error&)> outage_began;
    std::function<void(std::chrono::nanoseconds)> outage_ended;
};

// For one thread. The client that is asked makes one attempt a call (retries here would be unheard of by this).
class Persistence {
  public:
    static constexpr std::chrono::seconds kTelling{5};

    // Ends at the call's deadline, and when its stop is requested.
    Persistence(azure::BlobClient& client, PersistenceOptions options, azure::Call call);

    // For one attempt that sends `bytes`: not so long that a lease of 15 s could end before we know more.
    [[nodiscard]] azure::Call attempt(std::uint64_t bytes = 0) const;
    [[nodiscard]] Deadline deadline() const { return call_.deadline; }
    // A stop was requested, or the deadline has passed.
    [[nodiscard]] bool over() const;

    // Failures in a row, of one thing that is tried.
    struct Failing {
        std::optional<BootTime> since;
        int count = 0;
        bool told = false;
    };
    // A pause before the next attempt. The error where there shall be none: the failure cannot be cured by waiting, or
    // the time is over.
    [[nodiscard]] Status pause(Failing& failing, const Error& failure);
    void succeeded(Failing& failing);

    // For what may be done any number of times.
    template <typename Ask>
    [[nodiscard]] auto ask(const Ask& ask_once) {
        Failing failing;
        for (;;) {
            auto answer = ask_once(attempt());
            if (answer) {
                succeeded(failing);
                return answer;
            }
            if (auto go_on = pause(failing, answer.error()); !go_on) {
                answer = fail(go_on.error());
                return answer;
            }
        }
    }

    // Waits; false where the call's stop or deadline came first.
    [[nodiscard]] bool wait(std::chrono::nanoseconds span);

    [[nodiscard]] std::uint64_t retries() const { return retries_; }

  private:
    azure::BlobClient& client_;
    Clock& clock_;
    PersistenceOptions options_;
    azure::Call call_;
    std::uint64_t retries_ = 0;
};

// Whether another attempt may get another answer.
[[nodiscard]] bool is_passing(const Error& error);

}  // namespace azlock::ops
