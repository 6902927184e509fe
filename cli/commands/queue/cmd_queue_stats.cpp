// `azlock queue stats`: how many tasks a queue has in which state.
#include <memory>

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/queue_metrics.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/prometheus_flag.hpp"
#include "cli/flags/watch_flag.hpp"
#include "cli/output/table.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    bool prometheus = false;
    std::string watch;
};

Json json_of(const ops::Queue& queue, const ops::QueueCounts& counts) {
    return {{"queue", queue.name.to_string()},
            {"ready", counts.ready},
            {"delayed", counts.delayed},
            {"archived", counts.archived},
            {"running", counts.running},
            {"dead", counts.dead},
            {"oldest_seconds", seconds_or_null(counts.oldest)}};
}

std::string lines_of(const ops::QueueCounts& counts) {
    std::string out = "ready: " + std::to_string(counts.ready) + "\ndelayed: " + std::to_string(counts.delayed);
    if (counts.archived > 0) out += "\narchived: " + std::to_string(counts.archived);
    out += "\nrunning: " + std::to_string(counts.running) + "\ndead: " + std::to_string(counts.dead);
    return counts.oldest ? out + "\noldest: " + format_duration(*counts.oldest) : out;
}

Result<ops::Sight> look_at(const ops::Queue& queue, ops::DeadGrowth& growth, Context& context, const Screen& screen) {
    const auto counts = ops::count_tasks(queue, context.call());
    if (!counts) return fail(counts.error());
    ops::Sight out{ops::version_of(*counts), lines_of(*counts) + "\n"};
    const std::string more = growth.seen(counts->dead);
    if (screen.terminal && !more.empty()) out.text += in_alarm(more, screen) + "\n";
    if (context.output().json()) {
        Json whole{{"seen", format_iso8601(context.clock().wall())}};
        whole.update(json_of(queue, *counts));
        out.text = whole.dump();
    }
    return out;
}

Status run(const Options& o, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    ops::DeadGrowth growth;
    if (!o.watch.empty()) {
        return show_live(context, o.watch,
                         [&](const Screen& screen) { return look_at(opened->queue, growth, context, screen); });
    }
    const auto counts = ops::count_tasks(opened->queue, context.call());
    if (!counts) return fail(counts.error());
    Output& output = context.output();
    if (o.prometheus) return print_metrics(output, queue_metrics(opened->queue, *counts));
    return output.json() ? output.object(json_of(opened->queue, *counts)) : output.line(lines_of(*counts));
}

}  // namespace

void register_queue_stats(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("stats", "How many tasks are ready, delayed, running and dead");
    add_queue_target(*cmd, o->queue);
    Option* watch = add_watch_flag(*cmd, o->watch);
    add_prometheus_flag(*cmd, o->prometheus)->excludes(watch);
    cmd->footer(
        "Examples:\n  azlock queue stats jobs/encode\n  azlock queue stats jobs/encode --json | jq .ready\n"
        "  azlock queue stats jobs/encode --watch=5s\n"
        "  azlock queue stats jobs/encode --prometheus > encode.prom\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
