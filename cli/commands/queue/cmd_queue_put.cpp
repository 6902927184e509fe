// `azlock queue put QUEUE [FILE|-]`: a task, or with --lines a task for each line.
#include <memory>

#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/queue/put_input.hpp"
#include "ops/write/content_request.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    std::string file = "-";
    std::vector<std::string> metadata;
    ops::PutOptions put;
};

Status run(const Options& o, Context& context) {
    auto metadata = ops::make_metadata(o.metadata);
    if (!metadata) return fail(metadata.error());
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    ops::PutOptions options = o.put;
    options.metadata = std::move(*metadata);
    Output& out = context.output();
    const auto report = [&](const std::string& id, bool existed) {
        return out.json() ? out.object(Json{{"id", id}, {"priority", o.put.priority}, {"existed", existed}})
                          : out.line(id);
    };
    if (!options.lines) return ops::put_file(opened->queue, options, o.file, context.call(), report);
    EntryProgress progress(context, o.queue, "task");
    options.progress = &progress.counts();
    return progress.end(ops::put_file(opened->queue, options, o.file, context.call(), report));
}

}  // namespace

void register_queue_put(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("put", "Put a task, or one for each line, and print the ids");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("FILE", o->file, "File with the task's content, - for standard input (default)");
    cmd->add_option("--id", o->put.id, "Id of the task; fails (73) if the queue already has it")->type_name("ID");
    cmd->add_option("--priority", o->put.priority, "0 (first) to 9 (last); default 5")
        ->type_name("0..9")
        ->range(ops::kMostUrgent, ops::kLeastUrgent);
    add_duration(*cmd, "--delay", o->put.delay, "Do not start the task before this time has passed");
    cmd->add_option("--metadata", o->metadata, "Metadata of the task's blob; may be repeated")
        ->type_name("NAME=VALUE")
        ->repeated();
    cmd->add_flag("--lines", o->put.lines, "A task for each line (without its newline; empty lines are left out)");
    cmd->add_option("--batch", o->put.batch, "Name of these lines: if the command fails, a repeat puts each line once")
        ->type_name("NAME");
    cmd->add_flag("--if-absent", o->put.if_absent, "Succeed if the task exists already");
    cmd->add_flag("--create-container", o->put.create_container, "Create the container if it does not exist");
    cmd->footer(
        "Examples:\n"
        "  echo 'movie 17' | azlock queue put jobs/encode\n"
        "  azlock queue put jobs/encode order.json --id order-4711 --if-absent\n"
        "  find . -name '*.wav' | azlock queue put jobs/encode --lines --delay 10m\n"
        "  azlock queue put jobs/mail addresses.txt --lines --batch mailing-17\n");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
