// The plan of a file depends on its size alone and covers it exactly.
#include "ops/block_plan.hpp"
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

TEST_CASE("a plan covers the file from its first byte to its last without gap or overlap") {
    for (const std::uint64_t size : {1ULL, 4095ULL, 4096ULL, 4097ULL, 8191ULL, 8192ULL, 1'000'000ULL, 409'600ULL}) {
        const auto plan = plan_blocks(size, 4096);
        REQUIRE(plan);
        std::uint64_t end = 0;
        for (const BlockRange& block : *plan) {
            CHECK(block.offset == end);
            CHECK(block.length > 0);
            CHECK(block.length <= 4096);
            end += block.length;
            CHECK((block.length == 4096 || end == size));
        }
        CHECK(end == size);
    }
    CHECK(plan_blocks(0, 4096)->empty());
    CHECK(plan_blocks(20 * kMiB, std::nullopt)->size() == 3);
}

TEST_CASE("a block size that the service or the plan tag cannot hold is refused") {
    for (const std::uint64_t size : {0ULL, 1ULL, 4095ULL, 4097ULL, 6144ULL, kMaxBlockSize + 4096ULL, 1ULL << 40U}) {
        CAPTURE(size);
        const auto plan = plan_blocks(100, size);
        REQUIRE(!plan);
        CHECK(plan.error().code == ErrorCode::usage);
    }
    CHECK(plan_blocks(100, 4096));
    CHECK(plan_blocks(100, kMaxBlockSize));
}

TEST_CASE("a file that needs more than 50,000 blocks is refused with the number and a way out") {
    CHECK(plan_blocks(kMaxBlocks * 4096, 4096)->size() == kMaxBlocks);
    const auto plan = plan_blocks(kMaxBlocks * 4096 + 1, 4096);
    REQUIRE(!plan);
    CHECK(plan.error().code == ErrorCode::usage);
    CHECK(plan.error().message.find("50001") != std::string::npos);
    CHECK(!plan.error().hint.empty());
    // More than the service can hold at all.
    const auto never = plan_blocks(kMaxBlockSize * kMaxBlocks + 1, std::nullopt);
    REQUIRE(!never);
    CHECK(never.error().code == ErrorCode::usage);
}

}  // namespace azlock::ops
