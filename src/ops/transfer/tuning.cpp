#include "ops/transfer/tuning.hpp"

#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

// Between two attempts in an outage: azlock notices its end soon, and does not overload the service.
constexpr std::chrono::seconds kLongestPause{10};
// For short requests that somebody waits for. Less than 30 s, because a lease is released after the last of them.
constexpr std::chrono::seconds kShortPatience{24};
constexpr std::chrono::seconds kImpatientAttempt{10};

}  // namespace

http::RetryPolicy retry_policy(std::optional<int> retries, const Tuning& tuning) {
    http::RetryPolicy out;
    out.max_attempts = retries.value_or(kRetries) + 1;
    if (!tuning.rides_out || (retries && !tuning.retry_for)) return out;
    out.retry_for = tuning.retry_for.value_or(kRideOut);
    out.cap = kLongestPause;
    if (tuning.retry_for && !retries) out.max_attempts = 1;
    return out;
}

void limit_patience(const Tuning& tuning, bool limited, azure::PipelineOptions& options) {
    if (!tuning.impatient || limited) return;
    options.try_timeout = kImpatientAttempt;
    options.retry.patience = kShortPatience;
}

std::string describe(const http::RetryPolicy& policy) {
    if (policy.retry_for) return "for " + format_duration(*policy.retry_for);
    return "up to " + format_count(static_cast<std::uint64_t>(policy.max_attempts - 1), "time");
}

}  // namespace azlock::ops
