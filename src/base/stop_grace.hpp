// Gives work that has begun a limited time to finish after a stop was requested.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "base/clock.hpp"

namespace azlock {

class StopGrace {
  public:
    // end() gets its stop request `span` after `asked` got one.
    StopGrace(Clock& clock, const std::stop_token& asked, std::chrono::nanoseconds span);
    StopGrace(const StopGrace&) = delete;
    StopGrace& operator=(const StopGrace&) = delete;

    [[nodiscard]] std::stop_token end() const { return end_.get_token(); }

  private:
    std::stop_source awake_;
    std::stop_source end_;
    std::stop_callback<std::function<void()>> asked_;
    std::jthread thread_;
};

}  // namespace azlock
