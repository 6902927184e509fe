// `azlock queue`: the group of its subcommands, and what they share.
#include "cli/commands/queue/cmd_queue.hpp"

namespace azlock::cli {

Option* add_queue_target(Parser& command, std::string& target) {
    return command.add_option("QUEUE", target, "CONTAINER/PREFIX, az://... or URL")->required();
}

Result<OpenedQueue> open_queue(Context& context, const std::string& target) {
    auto many = context.open(target);
    if (!many) return fail(many.error());
    auto name = ops::queue_name(many->address);
    if (!name) return fail(name.error());
    auto single = context.open_single(target);
    if (!single) return fail(single.error());
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    http::RetryPolicy retry;
    retry.max_attempts = *retries + 1;
    const ops::Queue queue{std::move(*name), many->client(), single->client(), retry};
    return OpenedQueue{std::move(*many), std::move(*single), queue};
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
