// `azlock queue list` and `stats`: what is in a queue.
#include <algorithm>
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/describe_task.hpp"
#include "ops/queue/list.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

struct ListOptions {
    std::string queue;
    std::string state;
    bool dead = false;
};

Status list(const ListOptions& o, Context& context) {
    const auto queue = open_queue(context, o.queue);
    if (!queue) return fail(queue.error());
    const ops::TaskVisitor print = [&](const ops::QueueTask& task, WallTime now) -> Status {
        if (!o.state.empty() && o.state != ops::to_string(ops::state_of(task, now))) return {};
        return context.output().json() ? context.output().object(to_json(task, now))
                                       : context.output().line(task_row(task, now));
    };
    const bool dead = o.dead || o.state == "dead";
    return dead ? ops::for_each_dead_letter(queue->client(), queue->name, context.call(), print)
                : ops::for_each_task(queue->client(), queue->name, context.call(), print);
}

struct Counts {
    std::uint64_t ready = 0;
    std::uint64_t delayed = 0;
    std::uint64_t running = 0;
    std::uint64_t dead = 0;
    std::optional<milliseconds> oldest;  // of those that are not dead
};

Status stats(const std::string& target, Context& context) {
    const auto queue = open_queue(context, target);
    if (!queue) return fail(queue.error());
    Counts counts;
    const ops::TaskVisitor count = [&](const ops::QueueTask& task, WallTime now) -> Status {
        switch (ops::state_of(task, now)) {
            case ops::TaskState::ready: ++counts.ready; break;
            case ops::TaskState::delayed: ++counts.delayed; break;
            case ops::TaskState::running: ++counts.running; break;
            case ops::TaskState::dead: break;
        }
        if (const auto age = age_of(task, now)) counts.oldest = std::max(counts.oldest.value_or(*age), *age);
        return {};
    };
    if (auto ok = ops::for_each_task(queue->client(), queue->name, context.call(), count); !ok) return ok;
    const ops::TaskVisitor count_dead = [&](const ops::QueueTask&, WallTime) -> Status {
        ++counts.dead;
        return {};
    };
    if (auto ok = ops::for_each_dead_letter(queue->client(), queue->name, context.call(), count_dead); !ok) return ok;
    if (context.output().json()) {
        Json out;
        out["queue"] = queue->name.to_string();
        out["ready"] = counts.ready;
        out["delayed"] = counts.delayed;
        out["running"] = counts.running;
        out["dead"] = counts.dead;
        out["oldest_seconds"] = seconds_or_null(counts.oldest);
        return context.output().object(out);
    }
    return context.output().line(
        "ready: " + std::to_string(counts.ready) + "\ndelayed: " + std::to_string(counts.delayed) +
        "\nrunning: " + std::to_string(counts.running) + "\ndead: " + std::to_string(counts.dead) +
        (counts.oldest ? "\noldest: " + format_duration(*counts.oldest) : std::string()));
}

}  // namespace

void register_queue_list(Parser& group, Commands& commands) {
    auto o = std::make_shared<ListOptions>();
    Parser* cmd = group.add_subcommand("list", "Print a line for each task");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("--state", o->state, "Only tasks in this state")
        ->type_name("ready|delayed|running|dead")
        ->choices({"ready", "delayed", "running", "dead"});
    cmd->add_flag("--dead", o->dead, "List the dead letters");
    cmd->footer(
        "Columns: state, priority, age, attempts, id, and who runs it, when it is due, or how it ended last.\n\n"
        "Examples:\n  azlock queue list jobs/encode --state running\n"
        "  azlock queue list jobs/encode --dead --json | jq -r .stderr\n");
    commands.add(cmd, [o](Context& context) { return list(*o, context); });

    auto target = std::make_shared<std::string>();
    Parser* counts = group.add_subcommand("stats", "How many tasks are ready, delayed, running and dead");
    add_queue_target(*counts, *target);
    counts->footer(
        "Examples:\n  azlock queue stats jobs/encode\n  azlock queue stats jobs/encode --json | jq .ready\n");
    commands.add(counts, [target](Context& context) { return stats(*target, context); });
}

}  // namespace azlock::cli
