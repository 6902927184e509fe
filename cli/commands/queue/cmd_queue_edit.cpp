// `azlock queue retry`, `kick` and `delete`: repairs by an operator.
#include <memory>

#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "ops/queue/operator.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    ops::ChangeOptions change;
};

// Prints the id of each task that was changed. `done`: the name in JSON of what was done.
Status change(const Options& o, ops::TaskChange kind, const char* done, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    Output& out = context.output();
    return ops::change_tasks(
        opened->queue, kind, o.change, context.call(),
        {[&](const ops::QueueTask& task) {
             return out.json() ? out.object(Json{{"id", task.id}, {done, !o.change.dry_run}}) : out.line(task.id);
         },
         [&](const Error& error) { out.error(error); }});
}

Parser* add_change(Parser& group, const char* name, const char* help, Options& o) {
    Parser* cmd = group.add_subcommand(name, help);
    add_queue_target(*cmd, o.queue);
    cmd->add_option("ID", o.change.ids, "Ids of the tasks");
    cmd->add_flag("--dry-run", o.change.dry_run, "Only print the ids");
    return cmd;
}

}  // namespace

void register_queue_edit(Parser& group, Commands& commands) {
    auto r = std::make_shared<Options>();
    Parser* cmd = add_change(group, "retry", "Put dead letters back into the queue", *r);
    cmd->add_flag("--dead", r->change.dead, "Put back all dead letters (without IDs)");
    cmd->footer(
        "Prints the ids that were put back.\n\n"
        "Examples:\n  azlock queue retry jobs/encode order-4711\n  azlock queue retry jobs/encode --dead\n");
    commands.print_result(cmd);
    commands.add(cmd, [r](Context& context) { return change(*r, ops::TaskChange::retry, "retried", context); });

    auto k = std::make_shared<Options>();
    cmd = add_change(group, "kick", "Make delayed tasks ready now", *k);
    cmd->add_flag("--all", k->change.all, "All delayed tasks");
    cmd->footer("Examples:\n  azlock queue kick jobs/encode --all\n");
    commands.print_result(cmd);
    commands.add(cmd, [k](Context& context) { return change(*k, ops::TaskChange::kick, "kicked", context); });

    auto d = std::make_shared<Options>();
    cmd = add_change(group, "delete", "Delete tasks that nobody runs, or dead letters", *d);
    cmd->add_flag("--dead", d->change.dead, "Delete dead letters, not tasks of the queue");
    cmd->add_flag("--all", d->change.all, "With --dead: delete all dead letters");
    cmd->footer(
        "A running task is not deleted (exit code 75).\n\n"
        "Examples:\n  azlock queue delete jobs/encode order-4711\n  azlock queue delete jobs/encode --dead --all\n");
    commands.print_result(cmd);
    commands.add(cmd, [d](Context& context) { return change(*d, ops::TaskChange::remove, "deleted", context); });
}

}  // namespace azlock::cli
