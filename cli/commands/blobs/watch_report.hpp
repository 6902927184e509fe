// What `watch` reports: sentences on standard error or, with --json, one line for each event on standard output.
#pragma once

#include <string>

#include "cli/program/context.hpp"
#include "ops/read/watch.hpp"

namespace azlock::cli {

// `target`: the blob that is watched. The context must outlive it. Errors: io.
[[nodiscard]] ops::WatchObserver watch_report(Context& context, const std::string& target);

}  // namespace azlock::cli
