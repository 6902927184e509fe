#include "cli/flags/transfer_flags.hpp"

#include <algorithm>

#include "base/system_limit.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

constexpr std::uint64_t kDefaultMemory = 32ULL * 1024 * 1024;
// The memory of one running transfer: bytes being hashed, bytes being sent, and the connection's buffers.
constexpr std::uint64_t kMemoryEach = 1024 * 1024;
constexpr std::size_t kFirst = 4;
constexpr std::size_t kMost = 32;
constexpr std::size_t kAtLimitedRate = 2;  // more would only wait for each other
constexpr std::uint64_t kSlowestRate = 64 * 1024;

}  // namespace

void add_transfer_flags(Parser& command, TransferFlags& flags) {
    const auto group = [](Option* option) { option->group("Transfer"); };
    group(command
              .add_option("--concurrency", flags.concurrency,
                          "Blocks and files processed at once (default: adapts, starts with 4, at most 32)")
              ->type_name("N")
              ->range(1, 256));
    group(add_size(command, "--memory", flags.memory, "Largest memory for buffers (default 32MiB)"));
    group(add_size(command, "--limit-rate", flags.limit_rate, "Send at most this many bytes per second"));
    group(add_duration(command, "--stall-timeout", flags.stall_timeout,
                       "Give up an attempt if no data moves for this long (default 30s)"));
    add_retry_for_flag(command, flags.retry_for);
    group(command.add_flag("--json-progress", flags.json_progress, "Progress as JSON lines on standard error"));
}

TransferContext::TransferContext(Context& context, std::size_t first, std::size_t most, std::uint64_t memory,
                                 bool json_progress)
    : context_(context), most_(most), memory_(memory), json_progress_(json_progress), concurrency_(first) {}

Result<std::unique_ptr<TransferContext>> TransferContext::start(Context& context, const TransferFlags& flags) {
    const std::uint64_t memory = flags.memory.value_or(kDefaultMemory);
    if (memory < kMemoryEach) return fail(ErrorCode::usage, "--memory: at least 1MiB is needed");
    if (flags.limit_rate && *flags.limit_rate == 0) return fail(ErrorCode::usage, "--limit-rate: must be more than 0");
    if (flags.stall_timeout && flags.stall_timeout->count() == 0) {
        return fail(ErrorCode::usage, "--stall-timeout: must be more than 0");
    }
    const auto room = static_cast<std::size_t>(memory / kMemoryEach);
    const std::size_t wanted = flags.concurrency.value_or(flags.limit_rate ? kAtLimitedRate : kMost);
    const std::size_t most = affordable(std::min(wanted, room));
    const std::size_t first = flags.concurrency ? most : std::min(most, kFirst);
    auto transfer_context =
        std::unique_ptr<TransferContext>(new TransferContext(context, first, most, memory, flags.json_progress));

    Context::Tuning tuning;
    tuning.stall_timeout = flags.stall_timeout;
    if (flags.limit_rate) {
        transfer_context->limit_.emplace(context.clock(), *flags.limit_rate);
        // Each attempt gets its share of the rate, and twice the time that it needs at this rate.
        tuning.slowest_rate = std::clamp<std::uint64_t>(*flags.limit_rate / most / 2, 1, kSlowestRate);
    } else if (!flags.concurrency) {
        transfer_context->tuner_.emplace(context.clock(), transfer_context->concurrency_, 1, most);
        tuning.observer = &*transfer_context->tuner_;
    }
    transfer_context->outages_ = ride_out(context, flags.retry_for, tuning);
    return transfer_context;
}

std::unique_ptr<ProgressDisplay> TransferContext::show() {
    return std::make_unique<ProgressDisplay>(progress_style(context_.output(), json_progress_), context_.output(),
                                             context_.clock(), progress_, [this] { return context_.wire().retries(); });
}

}  // namespace azlock::cli
