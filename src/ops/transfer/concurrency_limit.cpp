#include "ops/transfer/concurrency_limit.hpp"

#include <algorithm>

namespace azlock::ops {

ConcurrencyLimit::Pass ConcurrencyLimit::enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::size_t ticket = next_ticket_++;
    waiting_.push_back(ticket);
    const bool admitted = changed_.wait(lock, stop, [&] { return inside_ < limit_ && waiting_.front() == ticket; });
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

void ConcurrencyLimit::leave() {
    const std::lock_guard lock(mutex_);
    --inside_;
    changed_.notify_all();
}

}  // namespace azlock::ops
