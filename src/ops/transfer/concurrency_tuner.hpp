// Adapts how many transfers are under way at once to what the service and the line take.
#pragma once

#include <mutex>

#include "azure/pipeline.hpp"
#include "ops/transfer/concurrency_limit.hpp"

namespace azlock::ops {

// Watches the uploads of a pipeline and sets the gate's limit: one more after each round of answers that brought more
// bytes per second than the round before, half of it (once a second at most) when the service says that it is busy
// (503, 429), and no change where more at once brought nothing. Thread-safe.
class Governor final : public azure::Observer {
  public:
    // 1 <= least <= most. Clock and gate are borrowed; the gate's limit is the first value.
    Governor(Clock& clock, Gate& gate, std::size_t least, std::size_t most);

    void answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) override;

  private:
    void pushed_back();
    void rest(BootTime now);
    void begin_round(BootTime now, double last_rate);
    void end_round(BootTime now);

    Clock& clock_;
    Gate& gate_;
    std::size_t least_;
    std::size_t most_;
    std::mutex mutex_;
    BootTime round_start_;
    std::uint64_t round_bytes_ = 0;
    std::size_t round_answers_ = 0;
    double last_rate_ = 0;  // bytes per second of the round before
    bool raised_ = false;   // that round ended with one more
    int rest_ = 0;          // rounds to go without trying for more
    BootTime halved_at_{};
    bool halved_ = false;
};

}  // namespace azlock::ops
