#include "ops/upload/content_cut.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace azlock::ops {
namespace {

constexpr std::size_t kWindow = 64;  // bytes that the hash of a position depends on
constexpr unsigned kFirstStep = 20;  // log2 of 1 MiB
constexpr unsigned kLastStep = 32;   // 4 GiB: larger than a block can be, so kMaxBlockSize is used instead
constexpr unsigned kNormalization = 2;

using Gear = std::array<std::uint64_t, 256>;

constexpr Gear make_gear() {
    Gear gear{};
    std::uint64_t state = 0x617A6C6F636B4743;
    for (std::uint64_t& value : gear) {
        state += 0x9E3779B97F4A7C15;
        value = state;
        value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27U)) * 0x94D049BB133111EB;
        value ^= value >> 31U;
    }
    return gear;
}

constexpr Gear doubled(Gear gear) {
    for (std::uint64_t& value : gear) value <<= 1U;
    return gear;
}

constexpr Gear kGear = make_gear();
constexpr Gear kGearOfPrevious = doubled(kGear);  // a second table costs less time than the shift

std::uint64_t gear_of(const Gear& gear, std::byte byte) {
    return gear[static_cast<unsigned char>(byte)];
}

std::uint64_t roll(std::uint64_t hash, std::byte next) {
    return (hash << 1U) + gear_of(kGear, next);
}

// A hash below this value has zeros in its highest `bits` bits.
std::uint64_t threshold(unsigned bits) {
    return bits >= 64 ? 1 : std::uint64_t{1} << (64 - bits);
}

// Rolls the hash over two bytes. Returns which of them (1 or 2) brought it below the threshold, or 0. The second hash
// comes from the hash before the first byte, so that the chain of dependent steps is half as long.
std::size_t roll_pair(std::uint64_t& hash, const std::byte* at, std::uint64_t below) {
    const std::uint64_t first = roll(hash, at[0]);
    hash = (hash << 2U) + (gear_of(kGearOfPrevious, at[0]) + gear_of(kGear, at[1]));
    if (first < below) return 1;
    return hash < below ? 2 : 0;
}

// The same for sizeof...(I) pairs of bytes.
template <std::size_t... I>
std::size_t roll_pairs(std::uint64_t& hash, const std::byte* at, std::uint64_t below, std::index_sequence<I...>) {
    std::size_t found = 0;
    static_cast<void>((((found = roll_pair(hash, at + 2 * I, below)) != 0 && (found += 2 * I, true)) || ...));
    return found;
}

// The same for all of `data`; 0 if no byte gives such a hash. Sets `hash` to the last hash that was computed.
std::size_t find_below(std::uint64_t& hash, ByteView data, std::uint64_t below) {
    constexpr std::size_t kGroup = 16;
    std::uint64_t rolling = hash;  // a local copy, which can stay in a register
    std::size_t at = 0;
    std::size_t found = 0;
    for (; found == 0 && at + kGroup <= data.size(); at += kGroup) {
        found = roll_pairs(rolling, data.data() + at, below, std::make_index_sequence<kGroup / 2>());
        if (found != 0) found += at;
    }
    for (; found == 0 && at < data.size(); ++at) {
        rolling = roll(rolling, data[at]);
        if (rolling < below) found = at + 1;
    }
    hash = rolling;
    return found;
}

}  // namespace

unsigned cut_step(std::uint64_t file_size) {
    const std::uint64_t least = file_size / kMaxBlocks + (file_size % kMaxBlocks == 0 ? 0 : 1);
    unsigned step = kFirstStep;
    while (step < kLastStep && (std::uint64_t{1} << step) < least) ++step;
    return step;
}

CutSizes cut_sizes_of_step(unsigned log2_minimum) {
    const std::uint64_t minimum = std::uint64_t{1} << std::clamp(log2_minimum, kFirstStep, kLastStep);
    return {.minimum = std::min(minimum, kMaxBlockSize),
            .average = 4 * minimum,
            .maximum = std::min(16 * minimum, kMaxBlockSize)};
}

CutSizes cut_sizes(std::uint64_t file_size) {
    return cut_sizes_of_step(cut_step(file_size));
}

ContentCutter::ContentCutter(const CutSizes& sizes, std::uint64_t file_size, Reader read, std::size_t read_size)
    : sizes_(sizes), file_size_(file_size), read_(std::move(read)), read_size_(read_size) {}

Result<std::optional<BlockRange>> ContentCutter::next() {
    const std::uint64_t limit = std::min(file_size_ - offset_, sizes_.maximum);
    if (limit == 0) return std::nullopt;
    const auto length = scan(limit);
    if (!length) return fail(length.error());
    const BlockRange block{offset_, *length};
    offset_ += *length;
    return block;
}

// The length of the block that begins at offset_: `limit`, unless its content ends it earlier.
Result<std::uint64_t> ContentCutter::scan(std::uint64_t limit) {
    if (limit <= sizes_.minimum) return limit;
    const auto bits = static_cast<unsigned>(std::bit_width(sizes_.average) - 1);
    const std::uint64_t hard = threshold(bits + kNormalization);
    const std::uint64_t easy = threshold(bits - kNormalization);
    buffer_.resize(read_size_);

    std::uint64_t length = sizes_.minimum - kWindow;  // bytes of the block that are done
    std::uint64_t hash = 0;
    while (length < limit) {
        const bool before_average = length + 1 < sizes_.average;
        const std::uint64_t stage_end = before_average ? std::min(limit, sizes_.average - 1) : limit;
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(read_size_, stage_end - length));
        const std::span<std::byte> piece(buffer_.data(), wanted);
        if (Status read = read_(offset_ + length, piece); !read) return fail(read.error());
        ByteView rest = piece;
        // A hash means nothing until the window is full.
        while (length + 1 < sizes_.minimum && !rest.empty()) {
            hash = roll(hash, rest.front());
            rest = rest.subspan(1);
            ++length;
        }
        const std::size_t found = find_below(hash, rest, before_average ? hard : easy);
        if (found != 0) return length + found;
        length += rest.size();
    }
    return limit;
}

}  // namespace azlock::ops
