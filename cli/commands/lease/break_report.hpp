// The result of breaking a lease, as JSON and as text.
#pragma once

#include <string>

#include "cli/output/output.hpp"
#include "ops/lease/break.hpp"

namespace azlock::cli {

[[nodiscard]] Json break_json(const std::string& target, const ops::BreakReport& report);
[[nodiscard]] Json failed_break_json(const std::string& target, const Error& error);

// "jobs/nightly: broken, free in 38 s; it was held by deploy@ci-7 pid 4121 for 12 min"; one line.
[[nodiscard]] std::string break_text(const std::string& target, const ops::BreakReport& report);

}  // namespace azlock::cli
