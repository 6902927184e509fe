// Finds the tasks and the dead letters of a queue.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "base/ordered.hpp"
#include "ops/queue/task.hpp"

namespace azlock::ops {

// The task with that id, of any priority; if there are several, the most urgent one. Error: not_found.
[[nodiscard]] Result<QueueTask> find_task(const Queue& queue, const std::string& id, const azure::Call& call);
[[nodiscard]] Result<QueueTask> find_dead_letter(const Queue& queue, const std::string& id, const azure::Call& call);
// The same, or what is left of a dead letter that was put back.
[[nodiscard]] Result<QueueTask> find_dead_or_left(const Queue& queue, const std::string& id, const azure::Call& call);
[[nodiscard]] Error no_dead_letter(const Queue& queue, const std::string& id);
// The task that a worker would take next. Error: not_found.
[[nodiscard]] Result<QueueTask> next_task(const Queue& queue, const azure::Call& call);

struct TaskFilter {
    bool dead = false;       // the dead letters, not the tasks
    std::string state = {};  // only those in this state, such as "ready"; "dead" means the dead letters; empty: all
    bool leftovers = false;  // also those that have moved and are only to be deleted
    [[nodiscard]] bool of_dead_letters() const { return dead || state == to_string(TaskState::dead); }
};
// Gets each task in the order of their names, with the service's time. An error ends the listing and is returned.
using TaskVisitor = std::function<Status(const QueueTask& task, WallTime now)>;
[[nodiscard]] Status for_each_task(const Queue& queue, const TaskFilter& filter, const azure::Call& call,
                                   const TaskVisitor& visit);
[[nodiscard]] Result<std::vector<QueueTask>> list_tasks(const Queue& queue, const TaskFilter& filter,
                                                        const azure::Call& call);

struct SeenTask {
    QueueTask task;
    WallTime now;  // the service's time
};
// The orders of --sort: "age" (the oldest first), "attempts" (the most first), "state", "name" (priority, then id: that
// of the service, empty).
inline constexpr std::array kTaskOrders{"name", "age", "attempts", "state"};
[[nodiscard]] Less<SeenTask> task_order(std::string_view key);

struct QueueCounts {
    std::uint64_t ready = 0;
    std::uint64_t delayed = 0;
    std::uint64_t archived = 0;
    std::uint64_t running = 0;
    std::uint64_t dead = 0;
    std::optional<std::chrono::milliseconds> oldest;  // the age of the oldest task that is not dead
    void add(const QueueTask& task, WallTime now);
    // "3 tasks: 2 ready, 1 running"; "2 dead letters" if it counts a list of these.
    [[nodiscard]] std::string sentence(bool of_dead_letters) const;
    // Without the dead letters.
    [[nodiscard]] std::uint64_t tasks() const { return ready + delayed + archived + running; }
};
[[nodiscard]] Result<QueueCounts> count_tasks(const Queue& queue, const azure::Call& call);

// Differs after each change, also if a list of tasks is joined; not by an age.
[[nodiscard]] std::string version_of(const QueueCounts& counts);
[[nodiscard]] std::string version_of(const SeenTask& seen);

// Whether the dead letters become more.
class DeadGrowth {
  public:
    // "2 dead letters more since the first look"; empty if there are not more.
    [[nodiscard]] std::string seen(std::uint64_t dead);

  private:
    std::optional<std::uint64_t> first_;
};

// How far the service's wall clock is ahead of ours (one listing).
[[nodiscard]] Result<std::chrono::nanoseconds> service_clock_ahead(const Queue& queue, const azure::Call& call);

}  // namespace azlock::ops
