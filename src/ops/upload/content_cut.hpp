// Content-defined cutting: the bytes decide where a block ends, so that an insertion moves only a few cuts.
#pragma once

#include <functional>

#include "base/encoding.hpp"
#include "ops/upload/block_plan.hpp"

namespace azlock::ops {

// Block sizes in bytes; part of the plan tag. `average` is a power of two. The true mean is about 1.14 x average.
struct CutSizes {
    std::uint64_t minimum = 0;  // at least 64
    std::uint64_t average = 0;
    std::uint64_t maximum = 0;
    friend bool operator==(const CutSizes&, const CutSizes&) = default;
};

// Minimum: the smallest power of two that is at least max(1 MiB, file_size / 50,000), so that 50,000 blocks always hold
// the file. Average: 4 x minimum. Maximum: 4 x average. Minimum and maximum are at most 4000 MiB, the largest block. If
// the minimum reaches that limit (files above 97 TiB), all blocks except the last have that size.
[[nodiscard]] CutSizes cut_sizes(std::uint64_t file_size);
// The same sizes from log2 of the minimum before that limit (20 for 1 MiB; at most 32). For an adopted plan tag.
[[nodiscard]] CutSizes cut_sizes_of_step(unsigned log2_minimum);
[[nodiscard]] unsigned cut_step(std::uint64_t file_size);

// FastCDC with normalized chunking, level 2. An implementation that makes the same cuts must follow these rules:
//  * gear[0..255] are the first 256 outputs of SplitMix64 from the state 0x617A6C6F636B4743 ("azlockGC").
//  * The hash of a position is the sum of gear[b] << age over the 64 bytes before it (age 0 for the nearest), modulo
//    2^64: h = 2h + gear[b] for each byte.
//  * A block ends at the first length L in [minimum, maximum) whose hash has its highest N bits zero, where N is
//    log2(average) + 2 while L < average, and log2(average) - 2 from there on; else at `maximum`, or where the file
//    ends.
// The hash depends on 64 bytes only, so the first `minimum` - 64 bytes of a block are not read.
class ContentCutter {
  public:
    static constexpr std::size_t kReadSize = 256 * 1024;

    // Fills `out` with the file's bytes from `offset` on. It is never asked for bytes beyond the file's size, or for
    // more than `read_size` bytes.
    using Reader = std::function<Status(std::uint64_t offset, std::span<std::byte> out)>;

    // `read_size` (bytes, also the memory used) does not change the cuts.
    ContentCutter(const CutSizes& sizes, std::uint64_t file_size, Reader read, std::size_t read_size = kReadSize);

    // The next block; nullopt at the end of the file (an empty file has no block). The reader's error is returned; the
    // next call then tries the same block again.
    [[nodiscard]] Result<std::optional<BlockRange>> next();

  private:
    [[nodiscard]] Result<std::uint64_t> scan(std::uint64_t limit);

    CutSizes sizes_;
    std::uint64_t file_size_;
    Reader read_;
    std::size_t read_size_;
    std::uint64_t offset_ = 0;  // where the next block begins
    Bytes buffer_;
};

}  // namespace azlock::ops
