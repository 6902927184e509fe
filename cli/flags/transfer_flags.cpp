#include "cli/flags/transfer_flags.hpp"

#include "cli/flags/flags.hpp"

namespace azlock::cli {

void add_transfer_flags(Parser& command, TransferFlags& flags) {
    ops::TransferRequest& request = flags.request;
    const auto group = [](Option* option) { option->group("Transfer"); };
    group(command
              .add_option("--concurrency", request.concurrency,
                          "Blocks and files processed at once (default: adapts, starts with 4, at most 32)")
              ->type_name("N")
              ->range(1, 256));
    group(add_size(command, "--memory", request.memory, "Largest memory for buffers (default 32MiB)"));
    group(add_size(command, "--limit-rate", request.limit_rate, "Send at most this many bytes per second"));
    group(add_duration(command, "--stall-timeout", request.stall_timeout,
                       "Give up an attempt if no data moves for this long (default 30s)"));
    add_retry_for_flag(command, request.retry_for);
    group(command.add_flag("--json-progress", flags.json_progress, "Progress as JSON lines on standard error"));
}

Result<TransferContext> start_transfers(Context& context, const TransferFlags& flags) {
    auto parts = ops::TransferParts::make(flags.request, context.clock());
    if (!parts) return fail(parts.error());
    auto outages = ride_out(context, (*parts)->tuning());
    return TransferContext{context, std::move(*parts), std::move(outages), flags.json_progress};
}

std::unique_ptr<ProgressDisplay> TransferContext::show(Stdout data) const {
    return show_progress(context, parts->progress(), progress_style(context.output(), json_progress, data));
}

}  // namespace azlock::cli
