// A task as JSON and as lines for people.
#pragma once

#include <string>

#include "cli/output/output.hpp"
#include "ops/queue/task.hpp"

namespace azlock::cli {

// id, state, priority, bytes, attempts, failures, age_seconds, put, due, exit_code, why, holder, metadata; of a dead
// letter also died and stderr
[[nodiscard]] Json to_json(const ops::QueueTask& task, WallTime now);

// "ready 5 3 min 0 20261121T..." and then the holder, the time until it is due, or how the last attempt ended.
[[nodiscard]] std::string task_row(const ops::QueueTask& task, WallTime now);
// A line for each field: "id: a", "state: ready".
[[nodiscard]] std::string describe(const ops::QueueTask& task, WallTime now);

}  // namespace azlock::cli
