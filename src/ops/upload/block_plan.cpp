#include "ops/upload/block_plan.hpp"

#include <algorithm>

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

Status check_block_size(std::uint64_t block_size) {
    if (block_size == 0 || block_size > kMaxBlockSize || block_size % kGranularity != 0) {
        return fail(ErrorCode::usage, "the block size must be a multiple of 4 KiB, at most 4000 MiB");
    }
    return {};
}

}  // namespace azlock::ops
