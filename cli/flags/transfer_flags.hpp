// How a transfer runs and how it shows its progress.
#pragma once

#include <memory>

#include "cli/flags/retry_for.hpp"
#include "cli/output/progress_display.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/transfer/transfer.hpp"

namespace azlock::cli {

struct TransferFlags {
    ops::TransferRequest request;
    bool json_progress = false;
};
void add_transfer_flags(Parser& command, TransferFlags& flags);

// The shared parts of one command's transfers. Make it before Context::open().
class TransferContext {
  public:
    // Error: usage.
    [[nodiscard]] static Result<TransferContext> start(Context& context, const TransferFlags& flags);

    [[nodiscard]] ops::TransferParts& parts() { return *parts_; }
    // Shows progress from now on, until the result is destroyed.
    [[nodiscard]] std::unique_ptr<ProgressDisplay> show();

  private:
    TransferContext(Context& context, std::unique_ptr<ops::TransferParts> parts, bool json_progress);

    Context* context_;
    std::unique_ptr<ops::TransferParts> parts_;
    std::unique_ptr<ops::OutageWatch> outages_;
    bool json_progress_;
};

}  // namespace azlock::cli
