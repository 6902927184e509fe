// --prometheus: a command that looks prints metrics.
#pragma once

#include "cli/output/metrics.hpp"
#include "cli/output/output.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

Option* add_prometheus_flag(Parser& command, bool& prometheus);
// Errors: usage (with --json), io.
[[nodiscard]] Status print_metrics(Output& output, const Metrics& metrics);

}  // namespace azlock::cli
