#include "ops/transfer/concurrency_limit.hpp"

#include <algorithm>
#include <bit>

namespace azlock::ops {

ConcurrencyLimit::Pass ConcurrencyLimit::enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::size_t ticket = next_ticket_++;
    waiting_.push_back(ticket);
    const bool admitted = changed_.wait(lock, stop, [&] { return has_place() && waiting_.front() == ticket; });
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
    if (admitted) ++inside_;
    // The next caller in line may be able to enter too.
    changed_.notify_all();
    return Pass(admitted ? this : nullptr);
}

void ConcurrencyLimit::set_limit(std::size_t limit) {
    const std::lock_guard lock(mutex_);
    limit_ = std::max<std::size_t>(limit, 1);
    changed_.notify_all();
}

std::size_t ConcurrencyLimit::limit() const {
    const std::lock_guard lock(mutex_);
    return limit_;
}

std::size_t ConcurrencyLimit::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

bool ConcurrencyLimit::has_place() const {
    return inside_ < std::min(limit_, window_);
}

void ConcurrencyLimit::line_is_slow() {
    const std::lock_guard lock(mutex_);
    window_ = 1;
    piece_ = kSmallestPiece;
}

void ConcurrencyLimit::carried(std::uint64_t bytes, std::chrono::nanoseconds took, bool whole) {
    constexpr std::chrono::duration<double> kEach{4};
    const std::lock_guard lock(mutex_);
    if (piece_ == kAnyPiece) return;
    if (whole && took <= kEach / 2 && window_ < limit_) ++window_;
    if (bytes >= kSmallestPiece) {  // the time of fewer bytes is mostly latency
        const double seconds = std::max(std::chrono::duration<double>(took).count(), 1e-6);
        const double fitting = static_cast<double>(bytes) / seconds * kEach.count();
        const auto bounded = static_cast<std::uint64_t>(std::min(fitting, static_cast<double>(kLargestPiece)));
        piece_ = std::max(std::bit_floor(bounded), kSmallestPiece);
    }
    changed_.notify_all();
}

std::uint64_t ConcurrencyLimit::piece() const {
    const std::lock_guard lock(mutex_);
    return piece_;
}

void ConcurrencyLimit::leave() {
    const std::lock_guard lock(mutex_);
    --inside_;
    changed_.notify_all();
}

}  // namespace azlock::ops
