// Retry as three small pure things: which errors, how long to wait, when to stop. The loop itself is azure/pipeline.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "http/message.hpp"

namespace azlock::http {

struct RetryPolicy {
    int max_attempts = 6;  // the first try included; at least 1
    std::chrono::milliseconds base{500};
    std::chrono::milliseconds cap{30'000};
    // A Retry-After longer than this is not obeyed to the letter: the wait is cut to it.
    std::chrono::milliseconds retry_after_cap{120'000};
};

// 408, 429, 500, 502, 503, 504. Nothing else: every other 4xx says the same the next time.
[[nodiscard]] bool is_transient_status(int status);

// Which transport errors another attempt may cure: all but TLS refusals, cancellation and failures on our own side.
[[nodiscard]] bool is_transient(const Error& error);

// Exponential with full jitter: uniform in [0, min(cap, base * 2^(retry-1))]; `retry` counts from 1.
// `retry_after` (from the service) is a lower bound.
[[nodiscard]] std::chrono::milliseconds backoff(const RetryPolicy& policy, int retry,
                                                std::optional<std::chrono::milliseconds> retry_after, Random& random);

// Reads Retry-After (delta-seconds or an HTTP date, relative to `now`), retry-after-ms and x-ms-retry-after-ms.
// Malformed or negative values count as absent; a date in the past is 0.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(const Headers& headers, WallTime now);

}  // namespace azlock::http
