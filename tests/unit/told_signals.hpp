// Signals that a test sends to code that runs a command. None reaches this process.
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>

#include "os/signals.hpp"

namespace azlock::test {

// As os::SignalStop: the first signal without a handler requests a stop. Thread-safe.
class ToldSignals final : public os::SignalSource {
  public:
    void send(int number) {
        const std::lock_guard lock(mutex_);
        asked_ = number;
        if (handler_) return handler_(number);
        if (received_ == 0) received_ = number;
        stop.request_stop();
    }
    [[nodiscard]] int received() const override {
        const std::lock_guard lock(mutex_);
        return received_;
    }
    [[nodiscard]] int asked() const override {
        const std::lock_guard lock(mutex_);
        return asked_;
    }
    void hand_over(std::function<void(int)> handler) override {
        const std::lock_guard lock(mutex_);
        handler_ = std::move(handler);
    }

    std::stop_source stop;

  private:
    mutable std::mutex mutex_;
    std::function<void(int)> handler_;
    int received_ = 0;
    int asked_ = 0;
};

}  // namespace azlock::test
