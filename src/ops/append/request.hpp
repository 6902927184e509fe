// What a user asks of an append, and the appender's options made from it: which wishes contradict one another, and what
// holds without a wish.
#pragma once

#include "ops/append/appender.hpp"

namespace azlock::ops {

struct AppendRequest {
    AppenderOptions options;  // what needs no rule; `send.lease_id` as given
    bool exclusive = false;   // keep the lease to the end
    bool no_lease = false;
    bool resume = false;
    std::optional<std::chrono::milliseconds> wait;       // for another's lease; nullopt: forever
    std::optional<std::chrono::milliseconds> retry_for;  // nullopt: forever if `endless`, else kRetryFiles
    std::optional<std::chrono::milliseconds> shutdown_timeout = std::chrono::seconds(10);  // AppendRun::time_to_stop
};

inline constexpr std::chrono::minutes kRetryFiles{5};

// `endless`: the input is a pipe or grows, so that giving up would lose input. Error: usage.
[[nodiscard]] Result<AppenderOptions> make_appender_options(const AppendRequest& request, bool endless);

}  // namespace azlock::ops
