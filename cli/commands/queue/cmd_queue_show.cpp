// `azlock queue show` and `peek`: print one task, or its content.
#include <memory>

#include "base/encoding.hpp"
#include "base/text.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/describe_task.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/retry_for.hpp"
#include "cli/output/stdout_target.hpp"
#include "ops/queue/look.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    ops::TaskChoice choice;
    RetryFor retry_for;
};

Status show(const Options& o, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    const auto seen = ops::look_at_task(opened->queue, o.choice, context.call());
    if (!seen) return fail(seen.error());
    Output& out = context.output();
    return out.json() ? out.object(to_json(seen->task, seen->now)) : out.line(describe(seen->task, seen->now));
}

Json to_json(const ops::QueueTask& task, const std::string& content) {
    Json out;
    out["id"] = task.id;
    out["bytes"] = content.size();
    out["content"] = is_utf8(content) ? Json(content) : Json();
    out["base64"] = is_utf8(content) ? Json() : Json(base64_encode(as_bytes(content)));
    return out;
}

Status peek(const Options& o, Context& context) {
    const auto outages = ride_out(context, {.retry_for = o.retry_for});
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    Output& out = context.output();
    const auto found = [&](const ops::QueueTask& task) {
        if (o.choice.id.empty()) out.notice("task " + printable(task.id));
    };
    if (out.json()) {
        const auto seen = ops::peek_whole_task(opened->queue, o.choice, found, context.call());
        return seen ? out.object(to_json(seen->task, seen->content)) : Status(fail(seen.error()));
    }
    StdoutTarget stream(out);
    const auto seen = ops::peek_task(opened->queue, o.choice, stream, found, context.call());
    return seen ? Status() : fail(seen.error());
}

}  // namespace

void register_queue_show(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("show", "Show a task: state, attempts, holder, how its last attempt ended");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("ID", o->choice.id, "Id of the task")->required();
    cmd->add_flag("--dead", o->choice.dead, "Show a dead letter");
    cmd->footer("Examples:\n  azlock queue show jobs/encode order-4711\n");
    commands.add(cmd, [o](Context& context) { return show(*o, context); });

    auto p = std::make_shared<Options>();
    Parser* content = group.add_subcommand("peek", "Print the content of a task and leave it in the queue");
    add_queue_target(*content, p->queue);
    content->add_option("ID", p->choice.id, "Id of the task (default: the next one)");
    content->add_flag("--dead", p->choice.dead, "Print a dead letter");
    add_retry_for_flag(*content, p->retry_for);
    content->footer("Examples:\n  azlock queue peek jobs/encode\n  azlock queue peek jobs/encode order-4711 --dead\n");
    commands.add(content, [p](Context& context) { return peek(*p, context); });
}

}  // namespace azlock::cli
