// How the transfers of a command run: how much at once, how fast, in how much memory.
#pragma once

#include "ops/transfer/concurrency_limit.hpp"
#include "ops/transfer/concurrency_tuner.hpp"
#include "ops/transfer/metered_body.hpp"
#include "ops/transfer/tuning.hpp"

namespace azlock::ops {

// What all transfers of one command share.
struct Transfer {
    ConcurrencyLimit& concurrency;
    Meter meter;
};

struct TransferRequest {
    std::optional<std::size_t> concurrency;  // nullopt: adapts, unless the rate is limited
    std::uint64_t memory = 32ULL * 1024 * 1024;
    std::optional<std::uint64_t> limit_rate;
    std::optional<std::chrono::milliseconds> stall_timeout;
    std::optional<std::chrono::milliseconds> retry_for;
};

// Error: usage, if not even one buffer has room in it.
[[nodiscard]] Status check_memory(std::uint64_t memory);

// Owns what a Transfer refers to.
class TransferParts {
  public:
    // The clock must outlive the result. Error: usage.
    [[nodiscard]] static Result<std::unique_ptr<TransferParts>> make(const TransferRequest& request, Clock& clock);

    [[nodiscard]] Transfer transfer() { return {concurrency_, {&progress_, limit_ ? &*limit_ : nullptr}}; }
    [[nodiscard]] Progress& progress() { return progress_; }
    [[nodiscard]] std::size_t threads() const { return most_; }
    [[nodiscard]] std::uint64_t memory() const { return memory_; }
    // For the requests of the transfers. Its observer is one of these parts.
    [[nodiscard]] const Tuning& tuning() const { return tuning_; }

  private:
    TransferParts(const TransferRequest& request, std::size_t first, std::size_t most, Clock& clock);

    std::size_t most_;
    std::uint64_t memory_;
    ConcurrencyLimit concurrency_;
    Progress progress_;
    std::optional<RateLimit> limit_;
    std::optional<ConcurrencyTuner> tuner_;
    Tuning tuning_;
};

}  // namespace azlock::ops
