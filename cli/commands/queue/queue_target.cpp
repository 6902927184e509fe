#include "cli/commands/queue/queue_target.hpp"

namespace azlock::cli {

Option* add_queue_target(Parser& command, std::string& target) {
    return command.add_option("QUEUE", target, "CONTAINER/PREFIX, az://... or URL")->required();
}

Result<OpenedQueue> open_queue(Context& context, const std::string& target) {
    auto many = context.open(target);
    if (!many) return fail(many.error());
    auto single = context.open_single(target);
    if (!single) return fail(single.error());
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    const auto queue = ops::make_queue(many->address, many->client(), single->client(), *retries);
    if (!queue) return fail(queue.error());
    return OpenedQueue{std::move(*many), std::move(*single), *queue};
}

}  // namespace azlock::cli
