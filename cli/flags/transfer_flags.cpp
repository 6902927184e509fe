#include "cli/flags/transfer_flags.hpp"

#include <algorithm>

#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

constexpr std::uint64_t kDefaultMemory = 32ULL * 1024 * 1024;
// What one transfer at a time holds: a piece being hashed, a piece being sent, and the connection's own.
constexpr std::uint64_t kMemoryEach = 1024 * 1024;
constexpr std::size_t kFirst = 4;
constexpr std::size_t kMost = 32;
constexpr std::size_t kAtLimitedRate = 2;  // more would only wait for each other
constexpr std::uint64_t kSlowestRate = 64 * 1024;

}  // namespace

void add_transfer_flags(CLI::App& command, TransferFlags& flags) {
    const auto group = [](CLI::Option* option) { option->group("Transfer"); };
    group(command
              .add_option("--concurrency", flags.concurrency,
                          "Blocks and files in work at once (default: adapts, from 4 to 32)")
              ->type_name("N")
              ->check(CLI::Range(1, 256)));
    group(add_size(command, "--memory", flags.memory, "Most memory for buffers (default 32MiB)"));
    group(add_size(command, "--limit-rate", flags.limit_rate, "Send at most so many bytes per second"));
    group(add_duration(command, "--stall-timeout", flags.stall_timeout,
                       "Give up an attempt whose data does not move for so long (default 30s)"));
    group(command.add_flag("--json-progress", flags.json_progress, "Progress as JSON lines on standard error"));
}

TransferSession::TransferSession(Context& context, std::size_t first, std::size_t most, std::uint64_t memory)
    : context_(context), most_(most), memory_(memory), gate_(first) {}

Result<std::unique_ptr<TransferSession>> TransferSession::start(Context& context, const TransferFlags& flags) {
    const std::uint64_t memory = flags.memory.value_or(kDefaultMemory);
    if (memory < kMemoryEach) return fail(ErrorCode::usage, "--memory: at least 1MiB is needed");
    if (flags.limit_rate && *flags.limit_rate == 0) return fail(ErrorCode::usage, "--limit-rate: 0 is no rate");
    if (flags.stall_timeout && flags.stall_timeout->count() == 0) {
        return fail(ErrorCode::usage, "--stall-timeout: 0 would stop everything");
    }
    const auto room = static_cast<std::size_t>(memory / kMemoryEach);
    const std::size_t most = std::min(flags.concurrency.value_or(flags.limit_rate ? kAtLimitedRate : kMost), room);
    const std::size_t first = flags.concurrency ? most : std::min(most, kFirst);
    auto session = std::unique_ptr<TransferSession>(new TransferSession(context, first, most, memory));

    Context::Tuning tuning;
    tuning.stall_timeout = flags.stall_timeout;
    if (flags.limit_rate) {
        session->limit_.emplace(context.clock(), *flags.limit_rate);
        // Each attempt has its share of the rate, and twice the time that takes.
        tuning.slowest_rate = std::clamp<std::uint64_t>(*flags.limit_rate / most / 2, 1, kSlowestRate);
    } else if (!flags.concurrency) {
        session->governor_.emplace(context.clock(), session->gate_, 1, most);
        tuning.observer = &*session->governor_;
    }
    context.tune(tuning);
    return session;
}

std::unique_ptr<ProgressDisplay> TransferSession::show(bool json_events) {
    return std::make_unique<ProgressDisplay>(progress_style(context_.output(), json_events), context_.output(),
                                             context_.clock(), progress_, [this] { return context_.wire().retries(); });
}

}  // namespace azlock::cli
