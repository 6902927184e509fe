// `azlock queue list` and `stats`: what is in a queue.
#include <memory>

#include "base/quantity.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/describe_task.hpp"
#include "cli/commands/queue/queue_metrics.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/prometheus_flag.hpp"
#include "ops/queue/find.hpp"

namespace azlock::cli {
namespace {

struct ListOptions {
    std::string queue;
    ops::TaskFilter filter;
};

struct StatsOptions {
    std::string queue;
    bool prometheus = false;
};

Status list(const ListOptions& o, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    Output& out = context.output();
    return ops::for_each_task(opened->queue, o.filter, context.call(), [&](const ops::QueueTask& task, WallTime now) {
        return out.json() ? out.object(to_json(task, now)) : out.line(task_row(task, now));
    });
}

Status stats(const StatsOptions& o, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    const auto counts = ops::count_tasks(opened->queue, context.call());
    if (!counts) return fail(counts.error());
    if (o.prometheus) return print_metrics(context.output(), queue_metrics(opened->queue, *counts));
    if (context.output().json()) {
        return context.output().object(Json{{"queue", opened->queue.name.to_string()},
                                            {"ready", counts->ready},
                                            {"delayed", counts->delayed},
                                            {"archived", counts->archived},
                                            {"running", counts->running},
                                            {"dead", counts->dead},
                                            {"oldest_seconds", seconds_or_null(counts->oldest)}});
    }
    return context.output().line(
        "ready: " + std::to_string(counts->ready) + "\ndelayed: " + std::to_string(counts->delayed) +
        (counts->archived > 0 ? "\narchived: " + std::to_string(counts->archived) : "") +
        "\nrunning: " + std::to_string(counts->running) + "\ndead: " + std::to_string(counts->dead) +
        (counts->oldest ? "\noldest: " + format_duration(*counts->oldest) : std::string()));
}

}  // namespace

void register_queue_list(Parser& group, Commands& commands) {
    auto o = std::make_shared<ListOptions>();
    Parser* cmd = group.add_subcommand("list", "Print a line for each task");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("--state", o->filter.state, "Only tasks in this state")
        ->type_name("ready|delayed|archived|running|dead")
        ->choices({"ready", "delayed", "archived", "running", "dead"});
    cmd->add_flag("--dead", o->filter.dead, "List the dead letters");
    cmd->footer(
        "Columns: state, priority, age, attempts, id, and who runs it, when it is due, or how it ended last.\n\n"
        "Examples:\n  azlock queue list jobs/encode --state running\n"
        "  azlock queue list jobs/encode --dead --json | jq -r .stderr\n");
    commands.add(cmd, [o](Context& context) { return list(*o, context); });

    auto s = std::make_shared<StatsOptions>();
    Parser* counts = group.add_subcommand("stats", "How many tasks are ready, delayed, running and dead");
    add_queue_target(*counts, s->queue);
    add_prometheus_flag(*counts, s->prometheus);
    counts->footer(
        "Examples:\n  azlock queue stats jobs/encode\n  azlock queue stats jobs/encode --json | jq .ready\n"
        "  azlock queue stats jobs/encode --prometheus > encode.prom\n");
    commands.add(counts, [s](Context& context) { return stats(*s, context); });
}

}  // namespace azlock::cli
