// How long a transfer rides out an outage, and what it says about one.
#pragma once

#include <memory>
#include <optional>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/transfer/outage_watch.hpp"

namespace azlock::cli {

using RetryFor = std::optional<std::chrono::milliseconds>;

// --retry-for DUR
void add_retry_for_flag(Parser& command, RetryFor& flag);

// Sets the retries of a transfer in `tuning`: for as long as the flag says, else for five minutes (Context::Tuning says
// when that counts). The result tells on standard error when an outage begins and ends. It is `tuning`'s observer and
// hands everything on to the one that was there; it must outlive the requests.
[[nodiscard]] std::unique_ptr<ops::OutageWatch> ride_out(Context& context, const RetryFor& flag,
                                                         Context::Tuning& tuning);

}  // namespace azlock::cli
