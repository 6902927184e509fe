// What an appender sends, and where it gets it from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// The content of one Append Block: sent whole or not at all.
struct AppendBatch {
    std::vector<std::byte> bytes;  // never empty
    std::uint64_t lines = 0;       // that end in it
    std::uint64_t source_end = 0;  // bytes of the input that are used up with it, from the input's beginning; of what
                                   // an earlier run left in its spool 0
};

// Where a batch is about to go: enough to find out after a crash whether it went there.
struct AppendMark {
    std::string blob;            // its name; rotation changes it
    std::uint64_t position = 0;  // of its first byte
    std::string lease_id;        // of the turn; empty where there is none
};

// Batches in order, each exactly once. One thread calls it; what fills it may run on others.
class BatchSource {
  public:
    virtual ~BatchSource() = default;

    enum class Next { batch, nothing_yet, end };
    // Waits for a batch until `until`, or until the input has ended. nothing_yet: the time came first, or a stop was
    // requested. An error: the input cannot be read; what was read before has been given out.
    [[nodiscard]] virtual Result<Next> wait(Deadline until) = 0;
    // The batch that wait() found; it stays the next one until settled() is called.
    [[nodiscard]] virtual const AppendBatch& batch() = 0;

    // After wait() found a batch: where an earlier run, which ended before it knew, may have sent it already. To be
    // found out before sending(): if it is in the blob there, settled() follows at once.
    [[nodiscard]] virtual std::optional<AppendMark> pending_mark() const { return std::nullopt; }

    // Before each sending of it. An error: it must not be sent.
    [[nodiscard]] virtual Status sending(const AppendMark& mark) = 0;
    // It is in the blob, once.
    [[nodiscard]] virtual Status settled() = 0;

    // How many blocks the present blob has: the more, the more is gathered for each (append_pace.hpp).
    virtual void blocks_in_blob(std::uint64_t count) { (void)count; }

    // Bytes read from the input that are not settled.
    [[nodiscard]] virtual std::uint64_t unsettled_bytes() const = 0;
};

}  // namespace azlock::ops
