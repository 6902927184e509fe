// Signals for one of several commands that run at once: those that the worker passes on, not those of the process.
#pragma once

#include <functional>
#include <mutex>

#include "os/signals.hpp"

namespace azlock::ops {

// Thread-safe.
class JobSignals final : public os::SignalSource {
  public:
    [[nodiscard]] int received() const override {
        const std::lock_guard lock(mutex_);
        return sent_;
    }
    [[nodiscard]] int asked() const override { return received(); }
    void hand_over(std::function<void(int)> handler) override {
        const std::lock_guard lock(mutex_);
        handler_ = std::move(handler);
    }
    // To the running command. A command that is not started yet will not be started.
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

}  // namespace azlock::ops
