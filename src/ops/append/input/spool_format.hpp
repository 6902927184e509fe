// The bytes of a spool file: what it is for, where sending stands, and the batches.
//
//   0       head: magic, destination, checksum
//   8 KiB   two slots of 8 KiB for the state, written in turn, so that one of them is always whole
//   24 KiB  records: a head of 48 bytes, then the batch
// Numbers are 64 bits, lowest byte first; each part ends in, or is covered by, a CRC-64/NVME.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/encoding.hpp"
#include "ops/append/batch.hpp"

namespace azlock::ops {

inline constexpr std::size_t kSpoolBlock = 8192;
inline constexpr std::uint64_t kSpoolRecords = 3 * kSpoolBlock;
inline constexpr std::size_t kSpoolRecordHead = 48;

// Batches are numbered from 1 and never have the same number twice.
struct SpoolState {
    std::uint64_t generation = 0;         // the newer slot has the higher one
    std::uint64_t settled = 0;            // all batches up to this one are in the blob
    std::uint64_t first = kSpoolRecords;  // where the one after it stands
    std::uint64_t sending = 0;            // the last one that may be under way; 0: none
    AppendMark mark;                      // where to, with `sending`
    friend bool operator==(const SpoolState& a, const SpoolState& b) {
        return a.generation == b.generation && a.settled == b.settled && a.first == b.first && a.sending == b.sending &&
               a.mark.blob == b.mark.blob && a.mark.position == b.mark.position && a.mark.lease_id == b.mark.lease_id;
    }
};

struct SpoolRecordHead {
    std::uint64_t number = 0;
    std::uint64_t size = 0;  // bytes of the batch
    std::uint64_t lines = 0;
    std::uint64_t crc = 0;  // of the batch
};

// Each is kSpoolBlock bytes. nullopt: the name does not fit.
[[nodiscard]] std::optional<Bytes> encode_spool_head(std::string_view destination);
[[nodiscard]] std::optional<Bytes> encode_spool_state(const SpoolState& state);
[[nodiscard]] Bytes encode_spool_record(const SpoolRecordHead& head);

// nullopt: damaged, or something else.
[[nodiscard]] std::optional<std::string> decode_spool_head(ByteView block);
[[nodiscard]] std::optional<SpoolState> decode_spool_state(ByteView block);
[[nodiscard]] std::optional<SpoolRecordHead> decode_spool_record(ByteView bytes);

}  // namespace azlock::ops
