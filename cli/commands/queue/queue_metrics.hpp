// What `azlock queue stats --prometheus` prints.
#pragma once

#include <string>

#include "cli/output/metrics.hpp"
#include "ops/queue/find.hpp"

namespace azlock::cli {

[[nodiscard]] Metrics queue_metrics(const ops::Queue& queue, const ops::QueueCounts& counts);

}  // namespace azlock::cli
