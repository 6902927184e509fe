// The batches that an appender sends, and the source that gives them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// The content of one Append Block. It is sent whole or not at all.
struct AppendBatch {
    std::vector<std::byte> bytes;  // never empty
    std::uint64_t lines = 0;       // lines that end in this batch
    std::uint64_t source_end = 0;  // bytes of the input used up with this batch, from the beginning of the input; 0 for
                                   // a batch that an earlier run left in its spool
};

// The place where a batch will be written. It is enough to find out after a crash whether the batch was written.
struct AppendMark {
    std::string blob;            // name of the blob; rotation changes it
    std::uint64_t position = 0;  // append position of the batch's first byte
    std::string lease_id;        // of the turn; empty without a lease
};

// Gives out batches in order, each exactly once. One thread calls it; other threads may fill it.
class BatchSource {
  public:
    virtual ~BatchSource() = default;

    enum class Next { batch, nothing_yet, end };
    // Waits for a batch until `until`, or until the input has ended; a stop ends the input. nothing_yet: `until` came
    // first. Error: the input cannot be read; all batches that were read before have been given out.
    [[nodiscard]] virtual Result<Next> wait(Deadline until) = 0;
    // The batch that wait() found; it stays the next one until confirmed() is called.
    [[nodiscard]] virtual const AppendBatch& batch() = 0;

    // To be called after wait() found a batch. Returns the place to which an earlier run may have sent this batch
    // before it ended. The caller must look there before sending(). If the batch is there, it calls confirmed() at
    // once.
    [[nodiscard]] virtual std::optional<AppendMark> pending_mark() const { return std::nullopt; }

    // To be called before each attempt to send the batch. Error: the batch must not be sent.
    [[nodiscard]] virtual Status sending(const AppendMark& mark) = 0;
    // To be called when the batch is in the blob, exactly once.
    [[nodiscard]] virtual Status confirmed() = 0;

    // The number of blocks in the current blob. More blocks lead to larger batches (input/batch_buffer.hpp).
    virtual void blocks_in_blob(std::uint64_t count) { (void)count; }

    // Bytes that were read from the input and are not confirmed yet.
    [[nodiscard]] virtual std::uint64_t unconfirmed_bytes() const = 0;
};

}  // namespace azlock::ops
