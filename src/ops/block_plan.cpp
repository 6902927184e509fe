#include "ops/block_plan.hpp"

#include <algorithm>
#include <string>

namespace azlock::ops {
namespace {

constexpr std::uint64_t kFirstStep = 8 * kMiB;
constexpr std::uint64_t kGranularity = 4096;

}  // namespace

std::uint64_t default_block_size(std::uint64_t file_size) {
    std::uint64_t size = kFirstStep;
    while (size < kMaxBlockSize && size * kMaxBlocks < file_size) size *= 2;
    return std::min(size, kMaxBlockSize);
}

Result<std::vector<BlockRange>> plan_blocks(std::uint64_t file_size, std::optional<std::uint64_t> block_size) {
    const std::uint64_t size = block_size.value_or(default_block_size(file_size));
    if (size == 0 || size > kMaxBlockSize || size % kGranularity != 0) {
        return fail(ErrorCode::usage, "the block size must be a multiple of 4 KiB, at most 4000 MiB");
    }
    const std::uint64_t count = file_size / size + (file_size % size == 0 ? 0 : 1);
    if (count > kMaxBlocks) {
        return fail(ErrorCode::usage, "the file needs " + std::to_string(count) + " blocks; a blob holds 50,000",
                    "use larger blocks, or leave --block-size out");
    }
    std::vector<BlockRange> blocks;
    blocks.reserve(count);
    for (std::uint64_t offset = 0; offset < file_size; offset += size) {
        blocks.push_back({offset, std::min(size, file_size - offset)});
    }
    return blocks;
}

}  // namespace azlock::ops
