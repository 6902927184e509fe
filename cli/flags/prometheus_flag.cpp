#include "cli/flags/prometheus_flag.hpp"

namespace azlock::cli {

Option* add_prometheus_flag(Parser& command, bool& prometheus) {
    return command.add_flag("--prometheus", prometheus, "Print metrics in the text format of Prometheus");
}

Status print_metrics(Output& output, const Metrics& metrics) {
    if (output.json()) return fail(ErrorCode::usage, "--prometheus does not go with --json");
    return output.bytes(as_bytes(metrics.text()));
}

}  // namespace azlock::cli
