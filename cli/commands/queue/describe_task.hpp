// A task as JSON and as lines for people.
#pragma once

#include <string>
#include <vector>

#include "cli/output/output.hpp"
#include "ops/queue/task.hpp"

namespace azlock::cli {

// id, state, priority, bytes, attempts, failures, age_seconds, put, due, exit_code, why, holder, metadata; of a dead
// letter also died and stderr
[[nodiscard]] Json to_json(const ops::QueueTask& task, WallTime now);

// State, priority, age, attempts.
[[nodiscard]] std::vector<std::string> task_cells(const ops::QueueTask& task, WallTime now);
// The holder, the time until it is due, or how the last attempt ended; or empty.
[[nodiscard]] std::string task_note(const ops::QueueTask& task, WallTime now);
// A line for each field: "id: a", "state: ready".
[[nodiscard]] std::string describe(const ops::QueueTask& task, WallTime now);

}  // namespace azlock::cli
