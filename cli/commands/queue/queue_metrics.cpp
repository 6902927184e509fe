#include "cli/commands/queue/queue_metrics.hpp"

namespace azlock::cli {

Metrics queue_metrics(const ops::Queue& queue, const ops::QueueCounts& counts) {
    const Metrics::Labels labels{{"account", queue.many.endpoint().account}, {"queue", queue.name.to_string()}};
    Metrics out;
    out.gauge("azlock_queue_tasks", "Tasks of a queue by state, without the dead letters.");
    const auto of_state = [&](ops::TaskState state, std::uint64_t count) {
        Metrics::Labels with_state = labels;
        with_state.emplace_back("state", ops::to_string(state));
        out.sample(with_state, count);
    };
    of_state(ops::TaskState::ready, counts.ready);
    of_state(ops::TaskState::delayed, counts.delayed);
    of_state(ops::TaskState::archived, counts.archived);
    of_state(ops::TaskState::running, counts.running);
    out.gauge("azlock_queue_dead_letters", "Dead letters of a queue.");
    out.sample(labels, counts.dead);
    out.gauge("azlock_queue_oldest_task_age_seconds",
              "Time since the oldest task was put that is no dead letter; 0 if there is none.");
    if (counts.oldest || counts.tasks() == 0) out.sample(labels, counts.oldest.value_or(std::chrono::seconds(0)));
    return out;
}

}  // namespace azlock::cli
