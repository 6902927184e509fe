// How long a transfer rides out an outage, and what it says about one.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/transfer/outage_watch.hpp"

namespace azlock::cli {

using RetryFor = std::optional<std::chrono::milliseconds>;

// --retry-for DUR
void add_retry_for_flag(Parser& command, RetryFor& flag);

// Tells of an outage on standard error. `meanwhile`: what azlock does until it ends, such as "tries again for 5 min".
[[nodiscard]] ops::OutageTold tell_of_outages(Context& context, const std::function<std::string()>& meanwhile);

// Tunes the context for a transfer, whose calls go on in an outage. The result tells of outages; it must outlive the
// requests. Call it before Context::open().
[[nodiscard]] std::unique_ptr<ops::OutageWatch> ride_out(Context& context, ops::Tuning tuning);

}  // namespace azlock::cli
