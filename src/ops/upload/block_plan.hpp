// Chooses the size of blocks from the size of the file alone, so that every machine makes the same cuts.
#pragma once

#include "base/result.hpp"

namespace azlock::ops {

inline constexpr std::uint64_t kMiB = 1024 * 1024;
inline constexpr std::uint64_t kMaxBlocks = 50'000;          // of a committed blob [Scalability targets]
inline constexpr std::uint64_t kMaxBlockSize = 4000 * kMiB;  // x-ms-version 2019-12-12 and later [Scalability targets]

struct BlockRange {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

// 8 MiB, doubled until 50,000 blocks are enough, at most 4000 MiB.
[[nodiscard]] constexpr std::uint64_t default_block_size(std::uint64_t file_size) {
    std::uint64_t size = 8 * kMiB;
    while (size < kMaxBlockSize && size * kMaxBlocks < file_size) size *= 2;
    return size < kMaxBlockSize ? size : kMaxBlockSize;
}

// Error (usage): the block size is not a multiple of 4 KiB, is zero, or is above 4000 MiB.
[[nodiscard]] inline Status check_block_size(std::uint64_t block_size) {
    if (block_size > 0 && block_size <= kMaxBlockSize && block_size % 4096 == 0) return {};
    return fail(ErrorCode::usage, "the block size must be a multiple of 4 KiB, at most 4000 MiB");
}

}  // namespace azlock::ops
