// How a transfer runs and how it shows its progress.
#pragma once

#include <memory>

#include "cli/flags/retry_for.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/transfer/transfer.hpp"

namespace azlock::cli {

struct TransferFlags {
    ops::TransferRequest request;
    bool json_progress = false;
};
void add_transfer_flags(Parser& command, TransferFlags& flags);

// The shared parts of one command's transfers. Make it before Context::open(). Error: usage.
struct TransferContext {
    Context& context;
    std::unique_ptr<ops::TransferParts> parts;
    std::unique_ptr<ops::OutageWatch> outages;
    bool json_progress;
    // Shows progress from now on, until the result is destroyed.
    [[nodiscard]] std::unique_ptr<ProgressDisplay> show(Stdout data = Stdout::at_the_end) const;
};
[[nodiscard]] Result<TransferContext> start_transfers(Context& context, const TransferFlags& flags);

}  // namespace azlock::cli
