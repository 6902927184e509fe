#include "ops/write/block_id.hpp"

#include <algorithm>
#include <array>

namespace azlock::ops {
namespace {

constexpr std::string_view kMagic = "azl1";
constexpr std::size_t kIdBytes = 48;

constexpr std::uint64_t kUnit = 4096;

void put_u32(std::byte* at, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<std::byte>((value >> (24U - 8U * i)) & 0xFFU);
}

std::uint32_t get_u32(const std::byte* at) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value = (value << 8U) | std::to_integer<std::uint32_t>(at[i]);
    return value;
}

}  // namespace

std::string_view to_string(HashKind hash) {
    return hash == HashKind::xxh3 ? "xxh3" : "sha256";
}

PlanTag PlanTag::make(CutKind cut, HashKind hash, std::uint64_t size) {
    return {static_cast<std::uint32_t>(cut) << 28U | static_cast<std::uint32_t>(hash) << 24U |
            static_cast<std::uint32_t>((size / kUnit) & 0xFFFFFFU)};
}

bool PlanTag::known() const {
    return (cut() == CutKind::fixed || cut() == CutKind::content) &&
           (hash() == HashKind::sha256 || hash() == HashKind::xxh3) && size() > 0;
}

std::string BlockId::encode() const {
    std::array<std::byte, kIdBytes> raw{};
    std::transform(kMagic.begin(), kMagic.end(), raw.begin(), [](char c) { return static_cast<std::byte>(c); });
    std::copy(hash.begin(), hash.end(), raw.begin() + 4);
    put_u32(&raw[36], length);
    put_u32(&raw[40], occurrence);
    put_u32(&raw[44], plan.value);
    return base64_encode(raw);
}

std::optional<BlockId> BlockId::decode(std::string_view base64) {
    const auto raw = base64_decode(base64);
    if (!raw || raw->size() != kIdBytes) return std::nullopt;
    if (!std::equal(kMagic.begin(), kMagic.end(), raw->begin(),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; })) {
        return std::nullopt;
    }
    BlockId id;
    std::copy_n(raw->begin() + 4, id.hash.size(), id.hash.begin());
    id.length = get_u32(&(*raw)[36]);
    id.occurrence = get_u32(&(*raw)[40]);
    id.plan.value = get_u32(&(*raw)[44]);
    return id;
}

}  // namespace azlock::ops
