#include "ops/transfer/concurrency_tuner.hpp"

#include <algorithm>

namespace azlock::ops {

constexpr double kWorthIt = 0.3;              // part of the gain that one more brings if all scale perfectly
constexpr int kRestAfterNothing = 8;          // steps
constexpr std::chrono::seconds kOneStorm{1};  // busy answers of one overload come together
// Bytes that a request costs the line besides its body, so that small files count too.
constexpr std::uint64_t kPerRequest = 64 * 1024;

ConcurrencyTuner::ConcurrencyTuner(Clock& clock, ConcurrencyLimit& concurrency, std::size_t least, std::size_t most)
    : clock_(clock), concurrency_(concurrency), least_(least), most_(std::max(least, most)), step_start_(clock.now()) {}

void ConcurrencyTuner::answered(const azure::Operation& op, const http::Response& answer,
                                std::chrono::nanoseconds /*took*/) {
    if (op.name != "Put Block" && op.name != "Put Blob") return;
    const std::lock_guard lock(mutex_);
    if (answer.status == 503 || answer.status == 429) return pushed_back();
    if (answer.status != 201) return;
    step_bytes_ += op.request.content_length() + kPerRequest;
    if (++step_answers_ >= concurrency_.limit()) end_step(clock_.now());
}

void ConcurrencyTuner::failed(const azure::Operation& op, const Error& error) {
    if (op.name != "Put Block" && op.name != "Put Blob") return;
    if (error.fault == TransportFault::timeout) concurrency_.line_is_slow();
}

void ConcurrencyTuner::pushed_back() {
    const BootTime now = clock_.now();
    if (halved_at_ && now - *halved_at_ < kOneStorm) return;
    halved_at_ = now;
    concurrency_.set_limit(std::max(least_, concurrency_.limit() / 2));
    rest(now);
}

// After a rest the line may have changed, so the rate before the rest is not used any more.
void ConcurrencyTuner::rest(BootTime now) {
    rest_ = kRestAfterNothing;
    raised_ = false;
    begin_step(now, 0);
}

void ConcurrencyTuner::begin_step(BootTime now, double last_rate) {
    last_rate_ = last_rate;
    step_start_ = now;
    step_bytes_ = 0;
    step_answers_ = 0;
}

void ConcurrencyTuner::end_step(BootTime now) {
    if (rest_ > 0) {
        --rest_;
        return begin_step(now, 0);
    }
    const double seconds = std::max(std::chrono::duration<double>(now - step_start_).count(), 1e-6);
    const double rate = static_cast<double>(step_bytes_) / seconds;
    const std::size_t limit = concurrency_.limit();
    if (rate <= last_rate_ * (1 + kWorthIt / static_cast<double>(limit))) {
        if (raised_) concurrency_.set_limit(std::max(least_, limit - 1));
        return rest(now);
    }
    raised_ = limit < most_;
    concurrency_.set_limit(std::min(most_, limit + 1));
    begin_step(now, rate);
}

}  // namespace azlock::ops
