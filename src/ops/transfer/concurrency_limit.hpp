// Limits how many transfers of a command run at once, over all its files; first come, first served.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

namespace azlock::ops {

// Thread-safe. Must outlive its passes.
class ConcurrencyLimit {
  public:
    // A place inside the limit. Its destructor gives the place back. Movable only.
    class Pass {
      public:
        explicit Pass(ConcurrencyLimit& concurrency) : concurrency_(&concurrency) {}
        Pass(Pass&& other) noexcept : concurrency_(other.concurrency_) { other.concurrency_ = nullptr; }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;
        Pass& operator=(Pass&&) = delete;
        ~Pass() {
            if (concurrency_ != nullptr) concurrency_->leave();
        }

      private:
        ConcurrencyLimit* concurrency_;
    };

    explicit ConcurrencyLimit(std::size_t limit) : limit_(limit) {}

    // Waits for a place, in the order of the calls. nullopt: a stop was requested first.
    [[nodiscard]] std::optional<Pass> enter(const std::stop_token& stop);
    // At least 1 (0 counts as 1). After the limit was lowered, transfers that are inside may finish.
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
