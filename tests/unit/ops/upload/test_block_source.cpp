// A file is cut from its first byte to its last, as its plan says, or refused.
#include <unistd.h>

#include "ops/upload/block_plan.hpp"
#include "ops/upload/block_source.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

std::shared_ptr<const SourceFile> sparse(const test::TempDir& dir, std::uint64_t size) {
    const std::string path = dir.write("sparse", "");
    if (truncate(path.c_str(), static_cast<off_t>(size)) != 0) throw std::runtime_error("truncate");
    return SourceFile::open(path).value();
}

PlanTag fixed(std::uint64_t size) {
    return PlanTag::make(CutKind::fixed, HashKind::sha256, size);
}

PlanTag content(std::uint64_t size) {
    return PlanTag::make(CutKind::content, HashKind::sha256, size);
}

std::vector<std::uint64_t> lengths(BlockSource& block_source) {
    std::vector<std::uint64_t> out;
    std::uint64_t end = 0;
    for (auto block = block_source.next({}).value(); block; block = block_source.next({}).value()) {
        CHECK(block->offset == end);
        out.push_back(block->body->size());
        end += out.back();
    }
    return out;
}

}  // namespace

TEST_CASE("fixed blocks cover a file without gap or overlap, the last one shorter") {
    const test::TempDir dir;
    for (const std::uint64_t size : {0ULL, 1ULL, 4095ULL, 4096ULL, 4097ULL, 8192ULL, 1'000'000ULL}) {
        CAPTURE(size);
        auto block_source = make_file_blocks(sparse(dir, size), fixed(4096)).value();
        const auto found = lengths(*block_source);
        CHECK(found.size() == (size + 4095) / 4096);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            CHECK((found[i] == 4096 || i + 1 == found.size()));
            sum += found[i];
        }
        CHECK(sum == size);
    }
}

TEST_CASE("a block has the bytes of its place, as often as they are asked for") {
    const test::TempDir dir;
    const std::string bytes = test::noise(3 * 4096 + 5);
    auto block_source = make_file_blocks(SourceFile::open(dir.write("noise", bytes)).value(), fixed(4096)).value();
    std::string seen;
    for (auto block = block_source->next({}).value(); block; block = block_source->next({}).value()) {
        for (const auto& body : {block->body, block_source->again(block->offset, block->body->size())}) {
            std::string part(body->size(), '\0');
            REQUIRE(body->read_at(0, std::as_writable_bytes(std::span(part))).value() == part.size());
            CHECK(part == bytes.substr(block->offset, part.size()));
        }
        seen += bytes.substr(block->offset, block->body->size());
    }
    CHECK(seen == bytes);
}

TEST_CASE("content decides the cuts where the plan says so, and the same content cuts alike") {
    const test::TempDir dir;
    const std::string bytes = test::noise(20 * kMiB);
    auto one = make_file_blocks(SourceFile::open(dir.write("one", bytes)).value(), content(kMiB)).value();
    auto two = make_file_blocks(SourceFile::open(dir.write("two", "x" + bytes)).value(), content(kMiB)).value();
    const auto cuts = lengths(*one);
    auto moved = lengths(*two);
    CHECK(cuts.size() > 1);
    REQUIRE(moved.size() == cuts.size());
    CHECK(moved.front() == cuts.front() + 1);
    --moved.front();
    CHECK(moved == cuts);
}

TEST_CASE("a file that needs more than 50,000 blocks is refused with their number and a way out") {
    const test::TempDir dir;
    CHECK(make_file_blocks(sparse(dir, kMaxBlocks * 4096), fixed(4096)));
    const auto block_source = make_file_blocks(sparse(dir, kMaxBlocks * 4096 + 1), fixed(4096));
    REQUIRE(!block_source);
    CHECK(block_source.error().code == ErrorCode::usage);
    CHECK(block_source.error().message.find("50001") != std::string::npos);
    CHECK(!block_source.error().hint.empty());
}

TEST_CASE("a plan fits as long as the largest number of blocks that it could make does") {
    CHECK(plan_fits(content(kMiB), 50'000 * kMiB));
    CHECK_FALSE(plan_fits(content(kMiB), 50'000 * kMiB + 1));
    CHECK_FALSE(plan_fits(content(3 * kMiB), 10));
    CHECK(plan_fits(fixed(kMaxBlockSize), kMaxBlockSize * kMaxBlocks));
    CHECK_FALSE(plan_fits(fixed(kMaxBlockSize), kMaxBlockSize * kMaxBlocks + 1));
    CHECK_FALSE(plan_fits(fixed(2 * kMaxBlockSize), 10));
}

}  // namespace azlock::ops
