// How the requests of a command are sent and repeated, made from what the user asks of its patience.
#pragma once

#include "azure/pipeline.hpp"

namespace azlock::ops {

// The defaults are for short requests.
struct Tuning {
    std::uint64_t slowest_rate = azure::PipelineOptions().slowest_rate;
    std::chrono::milliseconds stall_timeout = azure::PipelineOptions().stall_timeout;
    bool rides_out = false;  // in an outage a call goes on for kRideOut, or for the time of --retry-for
    std::optional<std::chrono::milliseconds> retry_for = {};  // as given
    // Give up each call in less than 30 s, unless --timeout, --try-timeout or --retries say something else.
    bool impatient = false;
    azure::Observer* observer = nullptr;  // gets every answer; must outlive the last request
};

inline constexpr std::chrono::minutes kRideOut{5};

inline constexpr int kRetries = 5;

// `retries`: nullopt if --retries was not given. --retries alone replaces kRideOut, --retry-for alone the number of
// attempts. If both are given, the attempts are made in any case.
[[nodiscard]] http::RetryPolicy retry_policy(std::optional<int> retries, const Tuning& tuning);

// Makes the requests of an impatient command short, if the user has set none of the limits (`limited`).
void limit_patience(const Tuning& tuning, bool limited, azure::PipelineOptions& options);

// For how long azlock tries again: "for 5m", "up to 3 times".
[[nodiscard]] std::string describe(const http::RetryPolicy& policy);

}  // namespace azlock::ops
