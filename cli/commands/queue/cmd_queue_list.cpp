// `azlock queue list`: the tasks of a queue.
#include <functional>
#include <memory>

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/describe_task.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/list_flags.hpp"
#include "cli/flags/watch_flag.hpp"
#include "cli/output/list_printer.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/queue/find.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    ops::TaskFilter filter;
    bool bytes = false;
    ListFlags shown;
    std::string watch;
};

std::vector<Column> columns(bool more) {
    std::vector<Column> out{
        {"STATE", 8, false, " "}, {"PRIORITY", 1, true, " "}, {"AGE", 12, true, " "}, {"ATTEMPTS", 8, true}};
    if (more) out.insert(out.end(), {{"FAILURES", 8, true}, {"SIZE", 12, true}, {"PUT", 20}});
    out.insert(out.end(), {{"ID"}, {"NOTE", 0, false, "  ", true}});
    return out;
}

Row row(const ops::SeenTask& seen, const Options& o, const Screen& screen) {
    const ops::QueueTask& task = seen.task;
    Row out{task_cells(task, seen.now)};
    if (o.shown.more) {
        const std::string size = screen.terminal && !o.bytes ? format_bytes(task.size) : std::to_string(task.size);
        out.cells.insert(out.cells.end(), {std::to_string(ops::failures_so_far(task)), size,
                                           task.put ? format_iso8601(*task.put) : "?"});
    }
    out.cells.push_back(printable(task.id));
    out.cells.push_back(task_note(task, seen.now));
    return out;
}

Status each(
    const ops::Queue& queue, const Options& o, const azure::Call& call, const Ordered<ops::SeenTask>::Take& take,
    const std::function<void()>& count = [] {}) {
    Ordered<ops::SeenTask> tasks(ops::task_order(o.shown.sort), take);
    const auto visit = [&](const ops::QueueTask& task, WallTime now) {
        count();
        return tasks.add({task, now});
    };
    return ops::for_each_task(queue, o.filter, call, visit).and_then([&] { return tasks.end(); });
}

Status print_list(const ops::Queue& queue, const Options& o, Context& context) {
    Output& output = context.output();
    const Screen screen = stdout_screen(context.color());
    ListPrinter printer(output, columns(o.shown.more), screen);
    ops::QueueCounts counts;
    EntryProgress progress(context, o.queue, "task");
    const auto print = [&](const ops::SeenTask& seen) {
        counts.add(seen.task, seen.now);
        return output.json() ? output.object(to_json(seen.task, seen.now)) : printer.add(row(seen, o, screen));
    };
    const Status listed = progress.end(each(queue, o, context.call(), print, [&] { progress.count(); }));
    return !listed || output.json() ? listed : printer.end(counts.sentence(o.filter.of_dead_letters()));
}

Result<ops::Sight> look_at(const ops::Queue& queue, const Options& o, ops::DeadGrowth& growth, Context& context,
                           const Screen& screen) {
    ops::Sight out;
    ops::QueueCounts counts;
    std::vector<Row> rows;
    Json tasks = Json::array();
    const bool json = context.output().json();
    const Status listed = each(queue, o, context.call(), [&](const ops::SeenTask& seen) -> Status {
        out.state += ops::version_of(seen);
        counts.add(seen.task, seen.now);
        json ? tasks.push_back(to_json(seen.task, seen.now)) : rows.push_back(row(seen, o, screen));
        return {};
    });
    if (!listed) return fail(listed.error());
    if (json) {
        out.text = Json{{"seen", format_iso8601(context.clock().wall())}, {"tasks", std::move(tasks)}}.dump();
        return out;
    }
    out.text = table(columns(o.shown.more), rows, counts.sentence(o.filter.of_dead_letters()), screen);
    const std::string more = growth.seen(counts.dead);
    if (screen.terminal && !more.empty()) out.text += in_alarm(more, screen) + "\n";
    return out;
}

Status run(const Options& o, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    if (o.watch.empty()) return print_list(opened->queue, o, context);
    ops::DeadGrowth growth;
    return show_live(context, o.watch,
                     [&](const Screen& screen) { return look_at(opened->queue, o, growth, context, screen); });
}

}  // namespace

void register_queue_list(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("list", "Print a line for each task");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("--state", o->filter.state, "Only tasks in this state")
        ->type_name("ready|delayed|archived|running|dead")
        ->choices({"ready", "delayed", "archived", "running", "dead"});
    cmd->add_flag("--dead", o->filter.dead, "List the dead letters");
    add_list_flags(*cmd, o->shown, {ops::kTaskOrders.begin(), ops::kTaskOrders.end()},
                   "Also failures, size and the time of the put");
    cmd->add_flag("--bytes", o->bytes, "With --long: sizes in bytes on a terminal, too");
    add_watch_flag(*cmd, o->watch);
    cmd->footer(
        "Columns: state, priority, age, attempts, id, and who runs it, when it is due, or how it ended last;\n"
        "on a terminal with titles and totals.\n\n"
        "Examples:\n  azlock queue list jobs/encode --state running\n"
        "  azlock queue list jobs/encode --sort age --watch\n"
        "  azlock queue list jobs/encode --dead --json | jq -r .stderr\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
