// The plan of a file depends on its size alone and covers it exactly.
#include "ops/upload/block_plan.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kStep = 8 * kMiB;

}  // namespace

TEST_CASE("the default block size is 8 MiB and doubles exactly where 50,000 blocks no longer hold the file") {
    CHECK(default_block_size(0) == kStep);
    CHECK(default_block_size(1) == kStep);
    for (std::uint64_t size = kStep; size < 2048 * kMiB; size *= 2) {
        CAPTURE(size);
        CHECK(default_block_size(size * kMaxBlocks) == size);
        CHECK(default_block_size(size * kMaxBlocks + 1) == size * 2);
    }
}

TEST_CASE("the last step of the ladder is the largest block that the service takes") {
    CHECK(default_block_size(2048 * kMiB * kMaxBlocks) == 2048 * kMiB);
    CHECK(default_block_size(2048 * kMiB * kMaxBlocks + 1) == kMaxBlockSize);
    CHECK(default_block_size(kMaxBlockSize * kMaxBlocks) == kMaxBlockSize);
    CHECK(default_block_size(std::numeric_limits<std::uint64_t>::max()) == kMaxBlockSize);
}

TEST_CASE("a block size that the service or the plan tag cannot hold is refused") {
    for (const std::uint64_t size : {0ULL, 1ULL, 4095ULL, 4097ULL, 6144ULL, kMaxBlockSize + 4096ULL, 1ULL << 40U}) {
        CAPTURE(size);
        const auto ok = check_block_size(size);
        REQUIRE(!ok);
        CHECK(ok.error().code == ErrorCode::usage);
    }
    CHECK(check_block_size(4096));
    CHECK(check_block_size(kMaxBlockSize));
}

}  // namespace azlock::ops
