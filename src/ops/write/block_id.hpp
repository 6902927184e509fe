// Ids of blocks that come from their content: the same bytes have the same id at any offset (docs/upload.md).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"

namespace azlock::ops {

// The hash in an id. XXH3 (128 bits, padded with zeros) is only for content that no attacker controls.
enum class HashKind : std::uint8_t { sha256 = 1, xxh3 = 2 };
// How the input is cut: at multiples of one size, or at places that its content decides (content_cut.hpp).
enum class CutKind : std::uint8_t { fixed = 1, content = 2 };

[[nodiscard]] std::string_view to_string(HashKind hash);  // "sha256", "xxh3"

// How the input was cut and hashed. It is part of every id, so that plans do not mix. Bits 31..28 are the cut, 27..24
// the hash, 23..0 the block size (content: the smallest one) in units of 4 KiB.
struct PlanTag {
    std::uint32_t value = 0;

    // `size` in bytes: a multiple of 4 KiB below 4 GiB.
    [[nodiscard]] static PlanTag make(CutKind cut, HashKind hash, std::uint64_t size);
    // False for a tag that a later version may have written: an unknown cut or hash, or a size of 0.
    [[nodiscard]] bool known() const;
    [[nodiscard]] CutKind cut() const { return static_cast<CutKind>(value >> 28U); }
    [[nodiscard]] HashKind hash() const { return static_cast<HashKind>((value >> 24U) & 0xFU); }
    [[nodiscard]] std::uint64_t size() const { return std::uint64_t{value & 0xFFFFFFU} * 4096; }
    [[nodiscard]] PlanTag with(HashKind hash) const { return make(cut(), hash, size()); }
    friend auto operator<=>(const PlanTag&, const PlanTag&) = default;
};

struct BlockId {
    Sha256Sum hash{};              // of the kind that `plan` names; XXH3 in the first 16 bytes
    std::uint32_t length = 0;      // bytes of the block
    std::uint32_t occurrence = 0;  // 0 for the first block of these bytes in a blob, 1 for the second, ...
    PlanTag plan;

    static constexpr std::size_t kEncodedLength = 64;
    // 64 characters: Base64 of "azl1", hash, length, occurrence, plan tag (big-endian).
    [[nodiscard]] std::string encode() const;
    // nullopt if azlock did not make this id.
    [[nodiscard]] static std::optional<BlockId> decode(std::string_view base64);
    friend auto operator<=>(const BlockId&, const BlockId&) = default;
};

}  // namespace azlock::ops
