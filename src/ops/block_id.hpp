// Content decides a block's id: the same bytes have the same id wherever they stand (design 6.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"

namespace azlock::ops {

// How the input was cut and hashed; part of every id, so that plans do not mix.
struct PlanTag {
    std::uint32_t value = 0;
    friend bool operator==(PlanTag, PlanTag) = default;
};

// SHA-256 ids of blocks cut at multiples of `block_size` (bytes, a multiple of 4 KiB below 4 GiB).
[[nodiscard]] PlanTag fixed_plan_tag(std::uint64_t block_size);

struct BlockId {
    Sha256Sum hash{};
    std::uint32_t length = 0;      // bytes of the block
    std::uint32_t occurrence = 0;  // 0 for the first block of these bytes in a blob, 1 for the second, ...
    PlanTag plan;

    // 64 characters: Base64 of "azl1", hash, length, occurrence, plan tag (big-endian).
    [[nodiscard]] std::string encode() const;
    // nullopt where the id is not ours.
    [[nodiscard]] static std::optional<BlockId> decode(std::string_view base64);
    friend bool operator==(const BlockId&, const BlockId&) = default;
};

}  // namespace azlock::ops
