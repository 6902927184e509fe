// Adapts the number of parallel transfers to what the service and the line can take.
#pragma once

#include <mutex>

#include "azure/pipeline.hpp"
#include "ops/transfer/concurrency_limit.hpp"

namespace azlock::ops {

// Watches the uploads of a pipeline and sets the limit. A step ends after as many answers as the limit. If it brought
// more bytes per second than the step before, the limit grows by one. If one more brought nothing, it is taken back,
// and the limit rests for eight steps. If the service is busy (503, 429), the limit is halved, at most once a second.
// Thread-safe.
class ConcurrencyTuner final : public azure::Observer {
  public:
    // 1 <= least <= most. Clock and limit must outlive this object. The first value is the current limit.
    ConcurrencyTuner(Clock& clock, ConcurrencyLimit& concurrency, std::size_t least, std::size_t most);

    // A timeout: the line is slow.
    void failed(const azure::Operation& op, const Error& error) override;
    void answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) override;

  private:
    void pushed_back();
    void rest(BootTime now);
    void begin_step(BootTime now, double last_rate);
    void end_step(BootTime now);

    Clock& clock_;
    ConcurrencyLimit& concurrency_;
    std::size_t least_;
    std::size_t most_;
    std::mutex mutex_;
    BootTime step_start_;
    std::uint64_t step_bytes_ = 0;
    std::size_t step_answers_ = 0;
    double last_rate_ = 0;  // bytes per second of the step before
    bool raised_ = false;   // that step raised the limit
    int rest_ = 0;          // steps that must end before the limit may grow again
    std::optional<BootTime> halved_at_;
};

}  // namespace azlock::ops
