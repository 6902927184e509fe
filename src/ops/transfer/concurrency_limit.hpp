// How many transfers may be under way at once, over all files of a command; first come, first served.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

namespace azlock::ops {

// Thread-safe. Must outlive its passes.
class Gate {
  public:
    // A place inside; given back when it is destroyed. Movable only.
    class Pass {
      public:
        explicit Pass(Gate& gate) : gate_(&gate) {}
        Pass(Pass&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;
        Pass& operator=(Pass&&) = delete;
        ~Pass() {
            if (gate_ != nullptr) gate_->leave();
        }

      private:
        Gate* gate_;
    };

    explicit Gate(std::size_t limit) : limit_(limit) {}

    // Waits for a place, in the order of the calls. nullopt: a stop was requested first.
    [[nodiscard]] std::optional<Pass> enter(const std::stop_token& stop);
    // At least 1. Those inside above a lowered limit may finish.
    void set_limit(std::size_t limit);
    [[nodiscard]] std::size_t limit() const;
    [[nodiscard]] std::size_t waiting() const;

  private:
    void leave();

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t limit_;
    std::size_t inside_ = 0;
    std::size_t next_ticket_ = 0;
    std::deque<std::size_t> waiting_;
};

}  // namespace azlock::ops
