// Signals for one of several commands that run at once: what the worker hands on, not what the process gets.
#pragma once

#include <functional>
#include <mutex>

#include "os/signals.hpp"

namespace azlock::cli {

// Thread-safe.
class JobSignals final : public os::SignalSource {
  public:
    [[nodiscard]] int received() const override {
        const std::lock_guard lock(mutex_);
        return sent_;
    }
    void hand_over(std::function<void(int)> handler) override {
        const std::lock_guard lock(mutex_);
        handler_ = std::move(handler);
    }
    // To the command that runs; one that is not started yet is not started any more.
    void send(int number) {
        const std::lock_guard lock(mutex_);
        sent_ = number;
        if (handler_) handler_(number);
    }

  private:
    mutable std::mutex mutex_;
    int sent_ = 0;
    std::function<void(int)> handler_;
};

}  // namespace azlock::cli
