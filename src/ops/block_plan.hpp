// How a file of a given size is cut into blocks. A pure function of the size, so that any machine cuts alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"

namespace azlock::ops {

inline constexpr std::uint64_t kMiB = 1024 * 1024;
inline constexpr std::uint64_t kMaxBlocks = 50'000;          // of a committed blob [blob-rest 3.0]
inline constexpr std::uint64_t kMaxBlockSize = 4000 * kMiB;  // x-ms-version 2019-12-12 and later [blob-rest 3.0]

struct BlockRange {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

// 8 MiB, doubled until 50,000 blocks are enough, at most 4000 MiB.
[[nodiscard]] std::uint64_t default_block_size(std::uint64_t file_size);

// Blocks of `block_size` (default: default_block_size), the last one shorter. An empty file has no block. Error
// (usage): a size that is no multiple of 4 KiB, is zero or above 4000 MiB, or needs more than 50,000 blocks.
[[nodiscard]] Result<std::vector<BlockRange>> plan_blocks(std::uint64_t file_size,
                                                          std::optional<std::uint64_t> block_size);

}  // namespace azlock::ops
