// Content-defined cuts: where the rule in the header puts them, within their bounds, and mostly the same after a change
// of the file.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/digest.hpp"
#include "ops/upload/content_cut.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

constexpr CutSizes kSmall{256, 1024, 4096};

// Looks like noise. Any byte can be computed without the others.
std::byte noise_at(std::uint64_t seed, std::uint64_t position) {
    std::uint64_t value = seed + (position / 8 + 1) * 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EB;
    value ^= value >> 31U;
    return static_cast<std::byte>(value >> (8 * (position % 8)));
}

Bytes noise(std::uint64_t seed, std::size_t size) {
    Bytes data(size);
    for (std::size_t i = 0; i < size; ++i) data[i] = noise_at(seed, i);
    return data;
}

// Records the reads, and answers them from memory.
struct Source {
    const Bytes& data;
    std::uint64_t bytes_read = 0;
    std::size_t largest = 0;

    Status read(std::uint64_t offset, std::span<std::byte> out) {
        REQUIRE(offset + out.size() <= data.size());
        REQUIRE(!out.empty());
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
        bytes_read += out.size();
        largest = std::max(largest, out.size());
        return {};
    }
};

std::vector<BlockRange> all_blocks(ContentCutter& cutter) {
    std::vector<BlockRange> blocks;
    while (true) {
        const auto block = cutter.next();
        REQUIRE(block);
        if (!*block) return blocks;
        blocks.push_back(**block);
    }
}

std::vector<BlockRange> cut(const Bytes& data, const CutSizes& sizes,
                            std::size_t read_size = ContentCutter::kReadSize) {
    Source source{data};
    ContentCutter cutter(
        sizes, data.size(), [&](std::uint64_t offset, std::span<std::byte> out) { return source.read(offset, out); },
        read_size);
    return all_blocks(cutter);
}

std::vector<std::uint64_t> lengths(const std::vector<BlockRange>& blocks) {
    std::vector<std::uint64_t> result;
    for (const BlockRange& block : blocks) result.push_back(block.length);
    return result;
}

// The rule as the header states it, byte by byte and without any state: an independent implementation.
std::vector<std::uint64_t> lengths_by_the_rule(const Bytes& data, const CutSizes& sizes) {
    std::vector<std::uint64_t> gear;
    for (std::uint64_t i = 1; i <= 256; ++i) {
        std::uint64_t value = 0x617A6C6F636B4743 + i * 0x9E3779B97F4A7C15;
        value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27U)) * 0x94D049BB133111EB;
        gear.push_back(value ^ (value >> 31U));
    }
    unsigned bits = 0;
    while ((std::uint64_t{2} << bits) <= sizes.average) ++bits;

    std::vector<std::uint64_t> result;
    std::size_t start = 0;
    while (start < data.size()) {
        std::size_t length = sizes.minimum;
        for (; length < sizes.maximum && start + length < data.size(); ++length) {
            std::uint64_t hash = 0;
            for (unsigned age = 0; age < 64; ++age) {
                hash += gear[static_cast<unsigned>(data[start + length - 1 - age])] << age;
            }
            if (hash >> (64 - (length < sizes.average ? bits + 2 : bits - 2)) == 0) break;
        }
        result.push_back(std::min(length, data.size() - start));
        start += result.back();
    }
    return result;
}

std::set<std::string> contents(const Bytes& data, const CutSizes& sizes) {
    std::set<std::string> result;
    for (const BlockRange& block : cut(data, sizes)) {
        result.insert(hex_encode(sha256(ByteView(data).subspan(block.offset, block.length))));
    }
    return result;
}

// How many blocks of `after` are not among those of `before`.
std::size_t new_blocks(const Bytes& before, const Bytes& after) {
    const auto known = contents(before, kSmall);
    const auto now = contents(after, kSmall);
    return static_cast<std::size_t>(
        std::count_if(now.begin(), now.end(), [&](const auto& hash) { return known.count(hash) == 0; }));
}

}  // namespace

TEST_CASE("cut sizes are 1, 4 and 16 MiB and double exactly where 50,000 smallest blocks no longer hold the file") {
    CHECK(cut_sizes(0) == CutSizes{kMiB, 4 * kMiB, 16 * kMiB});
    for (std::uint64_t minimum = kMiB; minimum <= 128 * kMiB; minimum *= 2) {
        CAPTURE(minimum);
        CHECK(cut_sizes(minimum * kMaxBlocks) == CutSizes{minimum, 4 * minimum, 16 * minimum});
        CHECK(cut_sizes(minimum * kMaxBlocks + 1).minimum == 2 * minimum);
    }
}

TEST_CASE("cut sizes never exceed the largest block that the service takes") {
    CHECK(cut_sizes(512 * kMiB * kMaxBlocks) == CutSizes{512 * kMiB, 2048 * kMiB, kMaxBlockSize});
    const CutSizes largest = cut_sizes(kMaxBlockSize * kMaxBlocks);
    CHECK(largest.minimum == kMaxBlockSize);
    CHECK(largest.maximum == kMaxBlockSize);
    CHECK(cut_sizes(std::numeric_limits<std::uint64_t>::max()) == largest);
}

TEST_CASE("cut sizes can be had from their step alone") {
    for (const std::uint64_t size : {std::uint64_t{0}, 60'000 * kMiB, 1'000'000 * kMiB, kMaxBlockSize * kMaxBlocks}) {
        CHECK(cut_sizes_of_step(cut_step(size)) == cut_sizes(size));
    }
    CHECK(cut_sizes_of_step(22).minimum == 4 * kMiB);
    CHECK(cut_sizes_of_step(0) == cut_sizes_of_step(20));
    CHECK(cut_sizes_of_step(63) == cut_sizes_of_step(32));
}

TEST_CASE("the cuts are those of the rule in the header, computed in the plainest way") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Bytes data = noise(seed, 100'000 + 1'003 * seed);
        CAPTURE(seed);
        CHECK(lengths(cut(data, kSmall)) == lengths_by_the_rule(data, kSmall));
        const CutSizes smallest{64, 256, 512};
        CHECK(lengths(cut(data, smallest)) == lengths_by_the_rule(data, smallest));
    }
    // Files that end around each of the bounds.
    for (const std::size_t bound : {64U, 192U, 256U, 1024U, 4096U}) {
        for (std::size_t size = bound - 3; size <= bound + 3; ++size) {
            const Bytes data = noise(size, size);
            CAPTURE(size);
            CHECK(lengths(cut(data, kSmall)) == lengths_by_the_rule(data, kSmall));
        }
    }
}

TEST_CASE("content cuts cover the file without gap or overlap and keep their bounds") {
    const Bytes data = noise(7, 3'000'000);
    const auto blocks = cut(data, kSmall);
    std::uint64_t end = 0;
    std::size_t at_maximum = 0;
    for (const BlockRange& block : blocks) {
        CHECK(block.offset == end);
        end += block.length;
        CHECK(block.length <= kSmall.maximum);
        CHECK((block.length >= kSmall.minimum || end == data.size()));
        if (block.length == kSmall.maximum) ++at_maximum;
    }
    CHECK(end == data.size());
    const double mean = static_cast<double>(data.size()) / static_cast<double>(blocks.size());
    CHECK(mean > 1.05 * 1024);
    CHECK(mean < 1.25 * 1024);
    CHECK(at_maximum < blocks.size() / 1000 + 1);
}

TEST_CASE("an empty file has no content-cut block and nothing is read of it or of one that cannot be cut") {
    const auto never = [](std::uint64_t, std::span<std::byte>) -> Status {
        FAIL("nothing has to be read");
        return {};
    };
    ContentCutter empty(kSmall, 0, never);
    CHECK(all_blocks(empty).empty());
    ContentCutter small(kSmall, kSmall.minimum, never);
    CHECK(lengths(all_blocks(small)) == std::vector<std::uint64_t>{kSmall.minimum});
    ContentCutter fixed(CutSizes{4096, 16'384, 4096}, 10'000, never);
    CHECK(lengths(all_blocks(fixed)) == std::vector<std::uint64_t>{4096, 4096, 1808});
}

TEST_CASE("the same bytes are cut alike whatever the sizes of the reads") {
    const Bytes data = noise(3, 300'000);
    const auto expected = lengths(cut(data, kSmall));
    for (const std::size_t read_size : {1U, 2U, 63U, 64U, 65U, 1000U, 4096U, 1'000'000U}) {
        CAPTURE(read_size);
        CHECK(lengths(cut(data, kSmall, read_size)) == expected);
    }
}

TEST_CASE("what lies before the smallest cut is not read and the reads are small") {
    const CutSizes sizes{1 << 18, 1 << 20, 1 << 22};
    const Bytes data = noise(5, 16 << 20);
    Source source{data};
    ContentCutter cutter(sizes, data.size(),
                         [&](std::uint64_t offset, std::span<std::byte> out) { return source.read(offset, out); });
    const auto blocks = all_blocks(cutter);
    REQUIRE(blocks.size() > 4);
    CHECK(source.largest <= ContentCutter::kReadSize);
    const std::uint64_t skipped = (blocks.size() - 1) * (sizes.minimum - 64);
    const std::uint64_t overrun = blocks.size() * ContentCutter::kReadSize;
    CHECK(source.bytes_read <= data.size() - skipped + overrun);
    CHECK(source.bytes_read < data.size());
}

TEST_CASE("an insertion or a removal at the front changes only a few blocks") {
    const Bytes data = noise(11, 400'000);
    REQUIRE(contents(data, kSmall).size() > 300);
    for (const std::size_t inserted : {1U, 100U, 5'000U}) {
        CAPTURE(inserted);
        Bytes longer = noise(99, inserted);
        longer.insert(longer.end(), data.begin(), data.end());
        CHECK(new_blocks(data, longer) <= 8 + inserted / 256);
        CHECK(new_blocks(longer, data) <= 8);
    }
}

TEST_CASE("a byte changed in the middle changes only a few blocks and none before it") {
    const Bytes data = noise(13, 400'000);
    Bytes changed = data;
    changed[200'000] ^= std::byte{1};
    CHECK(new_blocks(data, changed) >= 1);
    CHECK(new_blocks(data, changed) <= 8);
    const auto before = cut(data, kSmall);
    const auto after = cut(changed, kSmall);
    for (std::size_t i = 0; before[i].offset + before[i].length <= 200'000; ++i) {
        CHECK(before[i].length == after[i].length);
    }
}

TEST_CASE("a run of one byte, whichever, is cut at the largest size") {
    // From `average` on the easier of the two conditions applies: 18 bits, fewer than with the default sizes.
    constexpr CutSizes kSizes{256, 1 << 20, (1 << 20) + 1000};
    for (unsigned value = 0; value < 256; ++value) {
        CAPTURE(value);
        const Bytes data(kSizes.maximum + 77, static_cast<std::byte>(value));
        CHECK(lengths(cut(data, kSizes)) == std::vector<std::uint64_t>{kSizes.maximum, 77});
    }
}

TEST_CASE("an error of the reader is passed on and the same block can be tried again") {
    const Bytes data = noise(17, 50'000);
    Source source{data};
    int reads = 0;
    ContentCutter cutter(kSmall, data.size(), [&](std::uint64_t offset, std::span<std::byte> out) -> Status {
        if (++reads % 3 == 0) return fail(ErrorCode::io, "the disk is gone");
        return source.read(offset, out);
    });
    std::vector<std::uint64_t> found;
    int failures = 0;
    while (failures < 1000) {
        const auto block = cutter.next();
        if (!block) {
            CHECK(block.error().code == ErrorCode::io);
            ++failures;
            continue;
        }
        if (!*block) break;
        found.push_back((*block)->length);
    }
    CHECK(failures > 5);
    CHECK(found == lengths(cut(data, kSmall)));
}

TEST_CASE("the cuts of known data are those of every release") {
    // 48 MiB of noise, 40 MiB of zeros, 20 MiB of noise. If this list changes, every uploaded blob must be sent again.
    constexpr std::uint64_t kSize = 108 * kMiB;
    ContentCutter cutter(cut_sizes(kSize), kSize, [](std::uint64_t offset, std::span<std::byte> out) -> Status {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t position = offset + i;
            const bool zero = position >= 48 * kMiB && position < 88 * kMiB;
            out[i] = zero ? std::byte{0} : noise_at(2024, position);
        }
        return {};
    });
    CHECK(lengths(all_blocks(cutter)) ==
          std::vector<std::uint64_t>{4'233'535,  4'875'193, 4'202'728, 4'802'938, 4'709'590, 4'867'704,  1'254'767,
                                     4'249'585,  4'966'567, 4'295'014, 1'359'599, 5'011'202, 16'777'216, 16'777'216,
                                     10'132'181, 4'384'066, 6'084'794, 1'091'918, 2'728'504, 4'709'275,  1'732'616});
}

}  // namespace azlock::ops
