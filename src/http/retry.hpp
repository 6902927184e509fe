// The rules of retries as pure functions: which errors, how long to wait, when to stop. The loop is in azure/pipeline.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "http/message.hpp"

namespace azlock::http {

struct RetryPolicy {
    int max_attempts = 6;  // including the first; at least 1
    std::chrono::milliseconds first{500};
    std::chrono::milliseconds cap{30'000};
    // A longer Retry-After is cut to this.
    std::chrono::milliseconds retry_after_cap{120'000};
    // In an outage, attempts go on as long as the first failure of the call is not older than this, even if there were
    // more than max_attempts. nullopt: max_attempts alone counts.
    std::optional<std::chrono::milliseconds> retry_for = {};
    // No attempt of a call waits for an answer, and no other one begins, when the call is older than this. nullopt: no
    // such limit.
    std::optional<std::chrono::milliseconds> patience = {};
};

// True for 408, 429, 500, 502, 503 and 504 only: every other 4xx would be the same the next time.
[[nodiscard]] bool is_transient_status(int status);

// True if another attempt may succeed: for all transport errors but TLS refusals, cancellation and failures on our
// side.
[[nodiscard]] bool is_transient(const Error& error);

// Exponential with full jitter: uniform in [0, min(cap, first * 2^(retry-1))]; `retry` counts from 1.
// `retry_after` (from the service) is a lower bound.
[[nodiscard]] std::chrono::milliseconds backoff(const RetryPolicy& policy, int retry,
                                                std::optional<std::chrono::milliseconds> retry_after, Random& random);

// Reads Retry-After (delta-seconds or an HTTP date, relative to `now`), retry-after-ms and x-ms-retry-after-ms.
// Malformed or negative values count as absent; a date in the past is 0.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(const Headers& headers, WallTime now);

}  // namespace azlock::http
