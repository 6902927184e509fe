#include "base/stop_grace.hpp"

namespace azlock {

StopGrace::StopGrace(Clock& clock, const std::stop_token& asked, std::chrono::nanoseconds span)
    : asked_(asked, [this] { awake_.request_stop(); }), thread_([this, &clock, span](const std::stop_token& over) {
          const std::stop_callback wake(over, [this] { awake_.request_stop(); });
          (void)clock.wait_until(kNoDeadline, awake_.get_token());
          if (!over.stop_requested() && clock.wait_until(clock.after(span), over)) end_.request_stop();
      }) {}

}  // namespace azlock
