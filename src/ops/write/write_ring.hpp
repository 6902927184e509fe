// Recognising our own write after its answer was lost (design 6.4): the last write ids of a blob, in its metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "azure/types.hpp"

namespace azlock::ops {

// The metadata name under which the ring is kept.
inline constexpr const char* kWriteRingName = "azl_writes";

class WriteRing {
  public:
    static constexpr std::size_t kCapacity = 128;

    // The ring in a blob's metadata; empty where there is none or it is not ours.
    [[nodiscard]] static WriteRing read(const azure::Metadata& metadata);

    // Adds the id of a new write as the newest and drops the oldest beyond the capacity.
    void add(std::uint64_t id);
    void write(azure::Metadata& metadata) const;

    [[nodiscard]] bool contains(std::uint64_t id) const;
    [[nodiscard]] std::optional<std::uint64_t> newest() const;

  private:
    std::vector<std::uint64_t> ids_;  // oldest first
};

// What the blob's present ring says about a write whose answer was lost.
enum class WriteFate {
    applied,      // our id is there
    not_applied,  // the newest id of the base is there and ours is not
    unknown,      // somebody else's tool replaced the metadata
};
[[nodiscard]] WriteFate fate_of(std::uint64_t id, const WriteRing& base, const WriteRing& present);

}  // namespace azlock::ops
