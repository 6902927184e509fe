// Recognises our own write after its answer was lost, by the last write ids in the blob's metadata (docs/rest.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "azure/types.hpp"

namespace azlock::ops {

// The metadata name under which the ring is kept.
inline constexpr const char* kWriteRingName = "azl_writes";

class WriteRing {
  public:
    static constexpr std::size_t kCapacity = 128;

    // The ring in a blob's metadata; empty if there is none or azlock did not write it.
    [[nodiscard]] static WriteRing read(const azure::Metadata& metadata);

    // Adds the id of a new write as the newest and drops the oldest beyond the capacity.
    void add(std::uint64_t id);
    // Leaves out the oldest ids if the metadata would become too large for the service, but never the newest. Returns
    // how many ids it wrote.
    std::size_t write(azure::Metadata& metadata) const;
    [[nodiscard]] std::size_t size() const { return ids_.size(); }

    [[nodiscard]] bool contains(std::uint64_t id) const {
        return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
    }
    [[nodiscard]] std::optional<std::uint64_t> newest() const {
        return ids_.empty() ? std::nullopt : std::optional(ids_.back());
    }

  private:
    std::vector<std::uint64_t> ids_;  // oldest first
};

// The most metadata that the service takes: bytes of all names and values.
inline constexpr std::size_t kMaxMetadata = 8192;
[[nodiscard]] std::size_t size_of(const azure::Metadata& metadata);

// What the blob's current ring says about a write whose answer was lost.
enum class WriteFate {
    applied,      // our id is there
    not_applied,  // the newest id of the base is there and ours is not
    unknown,      // neither is there: another tool replaced the metadata, or many writes came in between
};
[[nodiscard]] WriteFate fate_of(std::uint64_t id, const WriteRing& base, const WriteRing& present);

}  // namespace azlock::ops
