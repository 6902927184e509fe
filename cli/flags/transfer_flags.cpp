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

TransferContext::TransferContext(Context& context, std::unique_ptr<ops::TransferParts> parts, bool json_progress)
    : context_(&context),
      parts_(std::move(parts)),
      outages_(ride_out(context, parts_->tuning())),
      json_progress_(json_progress) {}

Result<TransferContext> TransferContext::start(Context& context, const TransferFlags& flags) {
    return ops::TransferParts::make(flags.request, context.clock()).map([&](auto parts) {
        return TransferContext(context, std::move(parts), flags.json_progress);
    });
}

std::unique_ptr<ProgressDisplay> TransferContext::show() {
    Context& context = *context_;
    return std::make_unique<ProgressDisplay>(progress_style(context.output(), json_progress_), context.output(),
                                             context.clock(), parts_->progress(),
                                             [&context] { return context.wire().retries(); });
}

}  // namespace azlock::cli
