// `azlock queue show` and `peek`: print one task, or its content.
#include <memory>

#include "base/encoding.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/describe_task.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/retry_for.hpp"
#include "cli/output/stdout_target.hpp"
#include "ops/queue/find.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    std::string id;
    bool dead = false;
    RetryFor retry_for;
};

Result<ops::QueueTask> find(const ops::Queue& queue, const Options& o, Context& context) {
    return (o.dead ? ops::find_dead_letter : ops::find_task)(queue, o.id, context.call());
}

Status show(const Options& o, Context& context) {
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    const auto task = find(opened->queue, o, context);
    if (!task) return fail(task.error());
    const auto ahead = ops::service_clock_ahead(opened->queue, context.call());
    if (!ahead) return fail(ahead.error());
    const WallTime now = context.clock().wall() + *ahead;
    Output& out = context.output();
    return out.json() ? out.object(to_json(*task, now)) : out.line(describe(*task, now));
}

// A JSON object holds the whole content.
class ToText final : public ops::DownloadTarget {
  public:
    Status write(ByteView data) override {
        if (data.size() > kMostInJson - text_.size()) {
            return fail(ErrorCode::data, "the content is too large for JSON: more than " + format_bytes(kMostInJson),
                        "leave out --json");
        }
        text_.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }
    bool restart() override {
        text_.clear();
        return true;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    static constexpr std::size_t kMostInJson = std::size_t{64} << 20U;
    std::string text_;
};

Json to_json(const ops::QueueTask& task, const std::string& content) {
    Json out;
    out["id"] = task.id;
    out["bytes"] = content.size();
    out["content"] = is_utf8(content) ? Json(content) : Json();
    out["base64"] = is_utf8(content) ? Json() : Json(base64_encode(as_bytes(content)));
    return out;
}

Status peek(const Options& o, Context& context) {
    Context::Tuning tuning;
    const auto outages = ride_out(context, o.retry_for, tuning);
    context.tune(tuning);
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    if (o.dead && o.id.empty()) return fail(ErrorCode::usage, "--dead needs the ID of a dead letter");
    const auto task = o.id.empty() ? ops::next_task(opened->queue, context.call()) : find(opened->queue, o, context);
    if (!task) return fail(task.error());
    if (o.id.empty()) context.output().notice("task " + printable(task->id));
    StdoutTarget stream(context.output());
    ToText text;
    const bool json = context.output().json();
    ops::DownloadTarget& target = json ? static_cast<ops::DownloadTarget&>(text) : stream;
    const auto got = ops::download_blob(opened->queue.many, task->blob, target, {}, context.call());
    if (!got) return fail(got.error());
    return json ? context.output().object(to_json(*task, text.text())) : Status();
}

}  // namespace

void register_queue_show(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("show", "Show a task: state, attempts, holder, how its last attempt ended");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("ID", o->id, "Id of the task")->required();
    cmd->add_flag("--dead", o->dead, "Show a dead letter");
    cmd->footer("Examples:\n  azlock queue show jobs/encode order-4711\n");
    commands.add(cmd, [o](Context& context) { return show(*o, context); });

    auto p = std::make_shared<Options>();
    Parser* content = group.add_subcommand("peek", "Print the content of a task and leave it in the queue");
    add_queue_target(*content, p->queue);
    content->add_option("ID", p->id, "Id of the task (default: the next one)");
    content->add_flag("--dead", p->dead, "Print a dead letter");
    add_retry_for_flag(*content, p->retry_for);
    content->footer("Examples:\n  azlock queue peek jobs/encode\n  azlock queue peek jobs/encode order-4711 --dead\n");
    commands.add(content, [p](Context& context) { return peek(*p, context); });
}

}  // namespace azlock::cli
