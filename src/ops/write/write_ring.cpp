#include "ops/write/write_ring.hpp"

#include <span>

#include "azure/metadata.hpp"
#include "base/encoding.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kWriteIdBytes = 8;

// How many ids there is room for beside the other metadata; at least one.
std::size_t room_for_ids(const azure::Metadata& others) {
    const std::size_t used = std::string_view(kWriteRingName).size() + size_of(others);
    const std::size_t characters = used < kMaxMetadata ? kMaxMetadata - used : 0;
    return std::max<std::size_t>(1, characters / 4 * 3 / kWriteIdBytes);
}

}  // namespace

WriteRing WriteRing::read(const azure::Metadata& metadata) {
    WriteRing ring;
    const auto value = azure::find_metadata(metadata, kWriteRingName);
    const auto raw = value ? base64_decode(*value) : std::nullopt;
    if (!raw || raw->size() % kWriteIdBytes != 0 || raw->size() > kCapacity * kWriteIdBytes) return ring;
    for (std::size_t i = 0; i < raw->size(); i += kWriteIdBytes) {
        std::uint64_t id = 0;
        for (std::size_t k = 0; k < kWriteIdBytes; ++k) id = (id << 8U) | std::to_integer<std::uint64_t>((*raw)[i + k]);
        ring.ids_.push_back(id);
    }
    return ring;
}

void WriteRing::add(std::uint64_t id) {
    if (ids_.size() == kCapacity) ids_.erase(ids_.begin());
    ids_.push_back(id);
}

std::size_t WriteRing::write(azure::Metadata& metadata) const {
    azure::erase_metadata(metadata, kWriteRingName);
    const std::size_t count = std::min(ids_.size(), room_for_ids(metadata));
    Bytes raw;
    raw.reserve(count * kWriteIdBytes);
    for (const std::uint64_t id : std::span(ids_).last(count)) {
        for (unsigned shift = 64; shift > 0; shift -= 8)
            raw.push_back(static_cast<std::byte>((id >> (shift - 8)) & 0xFFU));
    }
    metadata[kWriteRingName] = base64_encode(raw);
    return count;
}

std::size_t size_of(const azure::Metadata& metadata) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : metadata) bytes += name.size() + value.size();
    return bytes;
}

WriteFate fate_of(std::uint64_t id, const WriteRing& base, const WriteRing& present) {
    if (present.contains(id)) return WriteFate::applied;
    const auto newest = base.newest();
    return newest && present.contains(*newest) ? WriteFate::not_applied : WriteFate::unknown;
}

}  // namespace azlock::ops
