#include "ops/transfer/transfer.hpp"

#include <algorithm>

#include "base/system_limit.hpp"

namespace azlock::ops {
namespace {

// The memory of one running transfer: bytes being hashed, bytes being sent, and the connection's buffers.
constexpr std::uint64_t kMemoryEach = 1024 * 1024;
constexpr std::size_t kFirst = 4;
constexpr std::size_t kMost = 32;
constexpr std::size_t kAtLimitedRate = 2;  // more would only wait for each other

}  // namespace

Status check_memory(std::uint64_t memory) {
    if (memory >= kMemoryEach) return {};
    return fail(ErrorCode::usage, "--memory: at least 1MiB is needed");
}

Result<std::unique_ptr<TransferParts>> TransferParts::make(const TransferRequest& request, Clock& clock) {
    if (auto ok = check_memory(request.memory); !ok) return fail(ok.error());
    if (request.limit_rate == 0U) return fail(ErrorCode::usage, "--limit-rate: must be more than 0");
    if (request.stall_timeout == std::chrono::milliseconds(0)) {
        return fail(ErrorCode::usage, "--stall-timeout: must be more than 0");
    }
    const auto room = static_cast<std::size_t>(request.memory / kMemoryEach);
    const std::size_t wanted = request.concurrency.value_or(request.limit_rate ? kAtLimitedRate : kMost);
    const std::size_t most = affordable(std::min(wanted, room));
    const std::size_t first = request.concurrency ? most : std::min(most, kFirst);
    return std::unique_ptr<TransferParts>(new TransferParts(request, first, most, clock));
}

TransferParts::TransferParts(const TransferRequest& request, std::size_t first, std::size_t most, Clock& clock)
    : most_(most), memory_(request.memory), concurrency_(first) {
    tuning_.rides_out = true;
    tuning_.retry_for = request.retry_for;
    tuning_.stall_timeout = request.stall_timeout.value_or(tuning_.stall_timeout);
    if (request.limit_rate) {
        limit_.emplace(clock, *request.limit_rate);
        // Each attempt gets its share of the rate, and twice the time that it needs at this rate.
        tuning_.slowest_rate = std::clamp<std::uint64_t>(*request.limit_rate / most / 2, 1, tuning_.slowest_rate);
    } else if (!request.concurrency) {
        tuner_.emplace(clock, concurrency_, 1, most);
        tuning_.observer = &*tuner_;
    }
}

}  // namespace azlock::ops
