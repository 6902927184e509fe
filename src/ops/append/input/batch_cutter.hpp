// Cuts input into batches: anywhere, or only where a line ends; and puts a stamp before each line.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/encoding.hpp"
#include "ops/append/batch.hpp"
#include "ops/append/input/line_stamp.hpp"

namespace azlock::ops {

struct CutOptions {
    bool lines = false;                               // a line is never split over two batches
    bool complete_last = false;                       // the input's last line gets the newline that it lacks
    std::optional<LineStamp> stamp;                   // with `lines` only
    std::uint64_t largest = std::uint64_t{1} << 20U;  // no batch has more bytes; at least 2 * LineStamp::kMax
    std::uint64_t input_offset = 0;                   // where in the input the first byte that is fed stands
};

// A plain state machine without a clock. What goes in comes out, in order, byte for byte but for stamps and the newline
// that was asked for. A line of more than `largest` bytes is split, and counted.
class BatchCutter {
  public:
    explicit BatchCutter(const CutOptions& options);

    // A batch is ready() as soon as it has so many bytes. At least 1; more than `largest` is `largest`.
    void set_target(std::uint64_t bytes);
    // Takes bytes that came at `now` until a batch is ready(); returns how many.
    [[nodiscard]] std::size_t feed(ByteView data, WallTime now);
    [[nodiscard]] bool ready() const { return full_ || complete_ >= target_; }
    // There is something that take() would give out.
    [[nodiscard]] bool sendable() const { return complete_ > 0; }
    // What may be sent, with `lines` all lines that have ended; nullopt where there is nothing.
    [[nodiscard]] std::optional<AppendBatch> take();
    // A file of several has ended: its last line is completed, where that was asked for.
    void end_file();
    // The input has ended: also a line without newline may be sent.
    void end_input();

    // Bytes held.
    [[nodiscard]] std::size_t held() const { return out_.size(); }
    [[nodiscard]] std::uint64_t largest() const { return options_.largest; }
    // Lines longer than that so far.
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
    std::uint64_t complete_end_ = 0;    // of the input, used up with them
    std::uint64_t seen_;                // of the input
    bool at_line_start_ = true;
    bool full_ = false;       // take() is needed before anything else fits
    bool splitting_ = false;  // the present line is longer than a batch
    std::uint64_t split_lines_ = 0;
};

}  // namespace azlock::ops
