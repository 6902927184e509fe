// Cuts input into batches, anywhere or only at line ends, and puts a stamp before each line.
#pragma once

#include "base/encoding.hpp"
#include "ops/append/batch.hpp"
#include "ops/append/input/line_stamp.hpp"

namespace azlock::ops {

struct CutOptions {
    bool lines = false;                               // batches end only where a line ends
    bool complete_last = false;                       // the input's last line gets the newline that it lacks
    std::optional<LineStamp> stamp;                   // with `lines` only
    std::uint64_t largest = std::uint64_t{1} << 20U;  // no batch has more bytes; at least 2 * LineStamp::kMax
    std::uint64_t input_offset = 0;                   // position in the input of the first byte that is fed
};

// A state machine without a clock. Its output is its input, byte for byte and in order, plus the stamps and newlines of
// the options. A line of more than `largest` bytes is split and counted.
class BatchCutter {
  public:
    explicit BatchCutter(const CutOptions& options);

    // A batch is ready() when it has so many bytes. The value is limited to 1..`largest`.
    void set_target(std::uint64_t bytes);
    // Takes bytes that came at `now` until a batch is ready(). Returns how many bytes it took.
    [[nodiscard]] std::size_t feed(ByteView data, WallTime now);
    [[nodiscard]] bool ready() const { return full_ || complete_ >= target_; }
    // True if take() would return a batch.
    [[nodiscard]] bool sendable() const { return complete_ > 0; }
    // Returns the bytes that may be sent (with `lines`: all complete lines); nullopt if there are none.
    [[nodiscard]] std::optional<AppendBatch> take();
    // One of several files has ended: its last line gets its newline if `complete_last` is set.
    void end_file();
    // The input has ended: a last line without a newline may now be sent too.
    void end_input();

    // Bytes held.
    [[nodiscard]] std::size_t held() const { return out_.size(); }
    [[nodiscard]] std::uint64_t largest() const { return options_.largest; }
    // Number of lines longer than largest() so far.
    [[nodiscard]] std::uint64_t split_lines() const { return split_lines_; }

  private:
    [[nodiscard]] std::size_t feed_bytes(ByteView data);
    [[nodiscard]] std::size_t feed_line(ByteView data, WallTime now);
    void add(ByteView data);
    void mark_complete();

    CutOptions options_;
    std::uint64_t target_ = 1;
    std::vector<std::byte> out_;
    std::size_t complete_ = 0;          // bytes of out_ that may be sent
    std::uint64_t complete_lines_ = 0;  // newlines in them
    std::uint64_t complete_end_ = 0;    // bytes of the input used up with them
    std::uint64_t seen_;                // bytes of the input so far
    bool at_line_start_ = true;
    bool full_ = false;       // take() is needed before anything else fits
    bool splitting_ = false;  // the current line is longer than a batch
    std::uint64_t split_lines_ = 0;
};

}  // namespace azlock::ops
