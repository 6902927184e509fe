// Keeps batches between the thread that reads and the thread that sends: bounded, in order, each exactly once.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "ops/append/input/spool.hpp"

namespace azlock::ops {

// How many bytes are gathered for one block of an append blob.
struct AppendPace {
    std::uint64_t batch_size = std::uint64_t{1} << 20U;                 // bytes; a batch of this size is sent at once
    std::chrono::nanoseconds flush_interval = std::chrono::seconds(1);  // nothing waits longer than this
    // If no input comes for this time, the waiting bytes are sent.
    [[nodiscard]] std::chrono::nanoseconds pause() const { return flush_interval / 5; }
};

// What happens when the memory is full.
enum class OnFull {
    wait,         // reading waits
    drop_oldest,  // the oldest batch that is not being sent is dropped and counted
};

struct BufferOptions {
    std::uint64_t memory = std::uint64_t{16} << 20U;  // bytes of all batches together; at least 2 * `largest`
    OnFull on_full = OnFull::wait;
    AppendPace pace;                                  // for a blob without blocks
    std::uint64_t largest = std::uint64_t{1} << 20U;  // no batch has more bytes
};

// With a spool, each batch is first written to the spool. Batches that do not fit in memory are only there. If the
// spool takes no more, reading waits. Batches that an earlier run left in the spool come first.
class BatchBuffer final : public BatchSource {
  public:
    using Say = std::function<void(const std::string&)>;
    BatchBuffer(const BufferOptions& options, std::unique_ptr<Spool> spool, const Clock& clock, Say say);

    // For the reading thread.

    // `bytes` more bytes have been read from the input.
    void count_read(std::uint64_t bytes);
    // Waits for room. `input_bytes`: how many bytes of the input are in the batch. False: the buffer is abandoned.
    [[nodiscard]] bool push(AppendBatch batch, std::uint64_t input_bytes);
    // No more batches will be pushed. With an error: because the input cannot be read.
    void end(std::optional<Error> error = std::nullopt);
    // For a blob that has so many blocks (blocks_in_blob()): every 10,000 of them double the batch size, up to
    // `largest`, and multiply the interval by four. At one line a second, 50,000 blocks then last for more than a
    // month.
    [[nodiscard]] AppendPace pace() const;

    // For the sending thread. Waiting batches are joined, up to the pace's batch size.

    [[nodiscard]] Result<Next> wait(Deadline until) override;
    [[nodiscard]] const AppendBatch& batch() override { return current_; }
    [[nodiscard]] std::optional<AppendMark> pending_mark() const override { return pending_mark_; }
    [[nodiscard]] Status sending(const AppendMark& mark) override;
    [[nodiscard]] Status confirmed() override;
    void blocks_in_blob(std::uint64_t count) override;

    // For any thread.

    // Bytes that were read and are neither confirmed nor dropped.
    [[nodiscard]] std::uint64_t unconfirmed_bytes() const override;
    struct Dropped {
        std::uint64_t bytes = 0;  // of the input
        std::uint64_t lines = 0;
    };
    [[nodiscard]] Dropped dropped() const;
    // Bytes of the batches that the spool keeps for the next run.
    [[nodiscard]] std::uint64_t spooled_bytes() const { return spool_ ? spool_->bytes() : 0; }
    // push() returns false from now on.
    void abandon();

  private:
    struct Entry {
        AppendBatch batch;  // without bytes if they are only in the spool
        std::uint64_t size = 0;
        std::uint64_t charged = 0;  // its share of used_
        std::uint64_t input_bytes = 0;
        std::optional<Spool::Place> place;
    };
    using Lock = std::unique_lock<std::mutex>;
    [[nodiscard]] AppendPace pace_now() const;
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

    // Used only by the sending thread.
    AppendBatch current_;
    std::deque<Entry> claimed_;  // the batches that current_ was made from
    std::optional<AppendMark> pending_mark_;
    std::uint64_t replay_to_ = 0;  // number of the last batch that the mark of an earlier run covers

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Entry> entries_;
    std::uint64_t used_ = 0;       // bytes in memory, with the claimed batches
    bool sending_any_ = false;     // something is claimed
    bool sending_beside_ = false;  // a claimed batch is not in the spool
    std::uint64_t settlings_ = 0;
    std::optional<BootTime> refused_;  // when the spool took no more the last time
    std::uint64_t read_ = 0;
    std::uint64_t confirmed_ = 0;
    Dropped dropped_;
    std::uint64_t blocks_ = 0;
    bool ended_ = false;
    bool abandoned_ = false;
    std::optional<Error> error_;
};

}  // namespace azlock::ops
