// Limits how many transfers of a command run at once, over all its files, and how long each may be on a slow line;
// first come, first served.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
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

    // If a request takes longer than this to send, the line is slow.
    static constexpr std::chrono::seconds kLongestSend{10};
    // Bytes; what is sent at once is never cut smaller than this.
    static constexpr std::uint64_t kSmallestPiece = 64 * 1024;
    // A request was too slow or timed out. From now on transfers go one after the other, with the smallest piece.
    void line_is_slow();
    // A request with these bytes was sent. The next piece is one that takes about four seconds. If the bytes were a
    // whole block or file and took less than half of that, one more transfer may run at once.
    void carried(std::uint64_t bytes, std::chrono::nanoseconds took, bool whole);
    // How many bytes to send at once; very many unless the line is slow. A power of two.
    [[nodiscard]] std::uint64_t piece() const;

  private:
    static constexpr std::uint64_t kAnyPiece = std::uint64_t{1} << 62U;
    static constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 40U;  // once the line was slow
    void leave();
    [[nodiscard]] bool has_place() const;  // with the mutex

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t limit_;
    std::size_t window_ = std::numeric_limits<std::size_t>::max();  // what the line can take; the lower one counts
    std::uint64_t piece_ = kAnyPiece;
    std::size_t inside_ = 0;
    std::size_t next_ticket_ = 0;
    std::deque<std::size_t> waiting_;
};

}  // namespace azlock::ops
