#include "ops/transfer/outage_watch.hpp"

#include "http/retry.hpp"

namespace azlock::ops {

void OutageWatch::answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) {
    if (next_ != nullptr) next_->answered(op, answer, took);
    if (http::is_transient_status(answer.status)) return;
    const std::lock_guard lock(mutex_);
    if (began_) told_.ended(clock_.now() - *since_);
    since_.reset();
    began_ = false;
}

void OutageWatch::failed(const azure::Operation& op, const Error& error) {
    if (next_ != nullptr) next_->failed(op, error);
}

void OutageWatch::retrying(const azure::Operation& op, const Error& why, std::chrono::milliseconds wait) {
    if (next_ != nullptr) next_->retrying(op, why, wait);
    const std::lock_guard lock(mutex_);
    const BootTime now = clock_.now();
    since_ = since_.value_or(now);
    if (began_ || now + wait - *since_ < kTellOutageAfter) return;
    began_ = true;
    told_.began(why);
}

}  // namespace azlock::ops
