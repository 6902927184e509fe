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

// Tells of an outage on standard error. `meanwhile`: what azlock does until it ends, such as "azlock tries again for 5
// min".
[[nodiscard]] ops::OutageTold tell_of_outages(Context& context, const std::string& meanwhile);

// Tunes the context for a transfer: as `tuning` says, with retries for as long as the flag says, else for five minutes
// (Context::Tuning says when that counts). The result tells of outages. It sees every answer, as `tuning`'s observer
// does; it must outlive the requests. Call it before Context::open().
[[nodiscard]] std::unique_ptr<ops::OutageWatch> ride_out(Context& context, const RetryFor& flag,
                                                         Context::Tuning tuning = {});

}  // namespace azlock::cli
