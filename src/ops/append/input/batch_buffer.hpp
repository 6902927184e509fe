// Batches between the thread that reads the input and the one that sends: bounded, in order, each once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "ops/append/batch.hpp"
#include "ops/append/input/pace.hpp"
#include "ops/append/input/spool.hpp"

namespace azlock::ops {

// What happens when the memory is full.
enum class OnFull {
    block,        // reading waits
    drop_oldest,  // the oldest batch that is not being sent goes, and is counted
};

struct BufferOptions {
    std::uint64_t memory = std::uint64_t{16} << 20U;  // bytes of all batches together; at least two of the largest
    OnFull on_full = OnFull::block;
    AppendPace pace;                                  // of a blob without blocks
    std::uint64_t largest = std::uint64_t{1} << 20U;  // no batch has more bytes
};

// With a spool each batch is first written there, and what memory cannot hold is only there; where the spool takes no
// more, reading waits. What an earlier run has left in it comes first.
class BatchBuffer final : public BatchSource {
  public:
    using Say = std::function<void(const std::string&)>;
    BatchBuffer(const BufferOptions& options, std::unique_ptr<Spool> spool, const Clock& clock, Say say);

    // The thread that reads.

    // So many bytes have been read from the input.
    void count_read(std::uint64_t bytes);
    // Waits for room. `input_bytes`: of the input, that are in it. False: abandoned.
    [[nodiscard]] bool push(AppendBatch batch, std::uint64_t input_bytes);
    // Nothing comes after what was pushed; with an error, because the input cannot be read.
    void end(std::optional<Error> error = std::nullopt);
    // Changes with blocks_in_blob().
    [[nodiscard]] AppendPace pace() const;

    // The thread that sends. Batches that have waited are put together, up to the pace's size.

    [[nodiscard]] Result<Next> wait(Deadline until) override;
    [[nodiscard]] const AppendBatch& batch() override { return current_; }
    [[nodiscard]] std::optional<AppendMark> pending_mark() const override { return pending_mark_; }
    [[nodiscard]] Status sending(const AppendMark& mark) override;
    [[nodiscard]] Status settled() override;
    void blocks_in_blob(std::uint64_t count) override;

    // Any thread.

    // Neither settled nor dropped.
    [[nodiscard]] std::uint64_t unsettled_bytes() const override;
    struct Dropped {
        std::uint64_t bytes = 0;  // of the input
        std::uint64_t lines = 0;
    };
    [[nodiscard]] Dropped dropped() const;
    // Of the batches that the spool keeps for the next run.
    [[nodiscard]] std::uint64_t spooled_bytes() const { return spool_ ? spool_->bytes() : 0; }
    // push() returns false from now on.
    void abandon();

  private:
    struct Entry {
        AppendBatch batch;  // without bytes where they are only in the spool
        std::uint64_t size = 0;
        std::uint64_t charged = 0;  // of used_
        std::uint64_t input_bytes = 0;
        std::optional<Spool::Place> place;
    };
    using Lock = std::unique_lock<std::mutex>;
    [[nodiscard]] bool spool_entry(Lock& lock, Entry& entry);
    [[nodiscard]] bool make_room(Lock& lock, std::uint64_t size);
    [[nodiscard]] bool drop_one();
    [[nodiscard]] bool join_last(Entry& entry);
    void claim();
    [[nodiscard]] Status fill();

    BufferOptions options_;
    std::unique_ptr<Spool> spool_;
    const Clock& clock_;
    Say say_;

    // Of the thread that sends.
    AppendBatch current_;
    std::deque<Entry> claimed_;  // what current_ is made of
    std::optional<AppendMark> pending_mark_;
    std::uint64_t replay_to_ = 0;  // the batches that the mark of an earlier run is about

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Entry> entries_;
    std::uint64_t used_ = 0;       // bytes in memory, the claimed ones included
    bool sending_any_ = false;     // something is claimed
    bool sending_beside_ = false;  // and is not in the spool
    std::uint64_t settlings_ = 0;
    bool refusal_told_ = false;  // that the spool takes no more
    std::uint64_t read_ = 0;
    std::uint64_t settled_ = 0;
    Dropped dropped_;
    std::uint64_t blocks_ = 0;
    bool ended_ = false;
    bool abandoned_ = false;
    std::optional<Error> error_;
};

}  // namespace azlock::ops
