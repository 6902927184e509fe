#include "cli/commands/queue/queue_target.hpp"

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

}  // namespace azlock::cli
