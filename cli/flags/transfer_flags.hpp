// How a transfer runs: how much at once, how fast, in how much memory, and how it shows its progress.
#pragma once

#include <memory>
#include <optional>

#include "cli/flags/retry_for.hpp"
#include "cli/output/progress_display.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/transfer/concurrency_tuner.hpp"
#include "ops/transfer/transfer.hpp"

namespace azlock::cli {

struct TransferFlags {
    std::optional<std::size_t> concurrency;  // not given: adapts
    std::optional<std::uint64_t> memory;
    std::optional<std::uint64_t> limit_rate;
    std::optional<std::chrono::milliseconds> stall_timeout;
    RetryFor retry_for;
    bool json_progress = false;
};
void add_transfer_flags(Parser& command, TransferFlags& flags);

// The shared parts of one command's transfers. Make it before Context::open().
class TransferContext {
  public:
    // Error: usage.
    [[nodiscard]] static Result<std::unique_ptr<TransferContext>> start(Context& context, const TransferFlags& flags);

    [[nodiscard]] ops::Transfer transfer() { return {concurrency_, {&progress_, limit_ ? &*limit_ : nullptr}}; }
    [[nodiscard]] ops::Progress& progress() { return progress_; }
    [[nodiscard]] std::size_t threads() const { return most_; }
    [[nodiscard]] std::uint64_t memory() const { return memory_; }
    // Shows progress from now on, until the result is destroyed.
    [[nodiscard]] std::unique_ptr<ProgressDisplay> show();

  private:
    TransferContext(Context& context, std::size_t first, std::size_t most, std::uint64_t memory, bool json_progress);

    Context& context_;
    std::size_t most_;
    std::uint64_t memory_;
    bool json_progress_;
    ops::ConcurrencyLimit concurrency_;
    ops::Progress progress_;
    std::optional<ops::RateLimit> limit_;
    std::optional<ops::ConcurrencyTuner> tuner_;
    std::unique_ptr<ops::OutageWatch> outages_;
};

}  // namespace azlock::cli
