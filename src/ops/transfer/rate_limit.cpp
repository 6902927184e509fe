#include "ops/transfer/rate_limit.hpp"

#include <algorithm>

namespace azlock::ops {

RateLimit::RateLimit(Clock& clock, std::uint64_t bytes_per_second)
    : clock_(clock), rate_(std::max<std::uint64_t>(bytes_per_second, 1)), free_at_(clock.now()) {}

Status RateLimit::take(std::uint64_t bytes, Deadline deadline, const std::stop_token& stop) {
    BootTime mine;
    {
        const std::lock_guard lock(mutex_);
        const auto span = std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_));
        mine = std::max(free_at_, clock_.now());
        free_at_ = mine + std::chrono::duration_cast<std::chrono::nanoseconds>(span);
    }
    if (mine > clock_.now() && !clock_.wait_until(std::min(mine, deadline), stop)) {
        return fail(stopped_by_signal());
    }
    if (mine >= deadline) return fail(ErrorCode::unavailable, "the deadline passed while waiting for the rate limit");
    return {};
}

}  // namespace azlock::ops
