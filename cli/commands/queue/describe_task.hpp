// A task as JSON and as lines for people.
#pragma once

#include <string>
#include <vector>

#include "cli/output/output.hpp"
#include "ops/queue/task.hpp"

namespace azlock::cli {

// id, state, priority, bytes, attempts, deferred, age_seconds, put, due, exit_code, why, holder, died, stderr, metadata
[[nodiscard]] Json to_json(const ops::QueueTask& task, WallTime now);

// "ready    5  3 min   0  20261121T..." and, where it runs, who has it.
[[nodiscard]] std::string task_row(const ops::QueueTask& task, WallTime now);
[[nodiscard]] std::vector<std::string> describe(const ops::QueueTask& task, WallTime now);

// How long ago it was put; nullopt where that is not known.
[[nodiscard]] std::optional<std::chrono::milliseconds> age_of(const ops::QueueTask& task, WallTime now);

}  // namespace azlock::cli
