// What an operator does with tasks that nobody runs: revives dead ones, makes delayed ones ready, deletes some.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/queue/task.hpp"

namespace azlock::ops {

enum class TaskChange {
    retry,  // puts a dead letter back
    kick,   // removes the due time; a task without one stays as it is, if nobody runs it
    remove  // deletes a task or dead letter
};

struct ChangeOptions {
    std::vector<std::string> ids;
    bool dead = false;     // retry: all dead letters, unless there are ids; remove: dead letters, not tasks
    bool all = false;      // instead of ids. kick: all delayed tasks; remove: with `dead`, all dead letters
    bool dry_run = false;  // nothing is changed, but all is reported
};

struct ChangeReport {
    std::function<Status(const QueueTask& task)> changed;  // an error ends the work
    std::function<void(const Error& error)> failed;        // each that is not the result
};

// A retry also deletes what is left of dead letters that were put back. Goes on after a task that cannot be changed or
// an id that does not exist. The first such error is the result, and that of a change comes before not_found; all
// others are reported. Without ids all tasks are found before the first one is changed. Errors: usage (the options name
// no tasks, or in two ways; nothing was sent), not_found, busy (a task runs), precondition (it has changed, or another
// task has the id of a dead letter).
[[nodiscard]] Status change_tasks(const Queue& queue, TaskChange change, const ChangeOptions& options,
                                  const azure::Call& call, const ChangeReport& report);

}  // namespace azlock::ops
