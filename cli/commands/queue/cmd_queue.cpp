// `azlock queue`: the group of its subcommands, and what they share.
#include "cli/commands/queue/cmd_queue.hpp"

namespace azlock::cli {
namespace {

Result<OpenedQueue> named(Result<Opened> opened) {
    if (!opened) return fail(opened.error());
    auto name = ops::queue_name(opened->address);
    if (!name) return fail(name.error());
    return OpenedQueue{std::move(*opened), std::move(*name)};
}

}  // namespace

Option* add_queue_target(Parser& command, std::string& target) {
    return command.add_option("QUEUE", target, "CONTAINER/PREFIX, az://... or URL")->required();
}

Result<OpenedQueue> open_queue(Context& context, const std::string& target) {
    return named(context.open(target));
}

Result<OpenedQueue> open_queue_single(Context& context, const std::string& target) {
    return named(context.open_single(target));
}

void register_queue(Parser& app, Commands& commands) {
    Parser* group = app.add_subcommand("queue", "A work queue: put tasks, work on them, list and repair them");
    group->require_subcommand();
    register_queue_put(*group, commands);
    register_queue_work(*group, commands);
    register_queue_list(*group, commands);
    register_queue_show(*group, commands);
    register_queue_edit(*group, commands);
    group->footer(
        "Examples:\n  echo 'movie 17' | azlock queue put jobs/encode\n"
        "  azlock queue work jobs/encode -- ./encode.sh\n"
        "  azlock queue stats jobs/encode\n  azlock queue retry jobs/encode --dead\n");
}

}  // namespace azlock::cli
