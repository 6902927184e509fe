// Limits how many transfers of a command run at once, over all its files; first come, first served.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>

namespace azlock::ops {

// Thread-safe. Must outlive its passes.
class ConcurrencyLimit {
  public:
    struct Leave {
        void operator()(ConcurrencyLimit* limit) const { limit->leave(); }
    };
    // A place inside the limit. Its destructor gives the place back.
    using Pass = std::unique_ptr<ConcurrencyLimit, Leave>;

    explicit ConcurrencyLimit(std::size_t limit) : limit_(limit) {}

    // Waits for a place, in the order of the calls. Null: a stop was requested first.
    [[nodiscard]] Pass enter(const std::stop_token& stop);
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
