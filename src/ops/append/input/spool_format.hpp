// The format of a spool file: its destination, the state of sending, and the batches.
//
//   0       head: magic, destination, checksum
//   8 KiB   two copies of 8 KiB for the state, written alternately, so that one of them is always whole
//   24 KiB  records: a head of 48 bytes, then the batch
// Numbers have 64 bits, lowest byte first. A CRC-64/NVME protects each part.
#pragma once

#include "base/encoding.hpp"
#include "ops/append/batch.hpp"

namespace azlock::ops {

inline constexpr std::size_t kSpoolBlock = 8192;
inline constexpr std::uint64_t kSpoolRecords = 3 * kSpoolBlock;
inline constexpr std::size_t kSpoolRecordHead = 48;

// Batches are numbered from 1. No number is used twice.
struct SpoolState {
    std::uint64_t generation = 0;         // the newer copy has the higher one
    std::uint64_t confirmed = 0;          // all batches up to this one are in the blob
    std::uint64_t first = kSpoolRecords;  // offset of the record after it
    std::uint64_t sending = 0;            // the last batch that may be under way; 0: none
    AppendMark mark;                      // where it was sent, if `sending` is not 0
};

struct SpoolRecord {
    std::uint64_t number = 0;
    std::uint64_t offset = 0;  // of the batch's bytes in the file; not a part of the head
    std::uint64_t size = 0;    // bytes of the batch
    std::uint64_t lines = 0;
    std::uint64_t crc = 0;  // of the batch
};

// Head and state have kSpoolBlock bytes; nullopt: a name does not fit. A record head has kSpoolRecordHead bytes.
[[nodiscard]] std::optional<Bytes> encode_spool_head(std::string_view destination);
[[nodiscard]] std::optional<Bytes> encode_spool_state(const SpoolState& state);
[[nodiscard]] Bytes encode_spool_record(const SpoolRecord& record);

// nullopt: the bytes are damaged, or are something else.
[[nodiscard]] std::optional<std::string> decode_spool_head(ByteView block);
[[nodiscard]] std::optional<SpoolState> decode_spool_state(ByteView block);
[[nodiscard]] std::optional<SpoolRecord> decode_spool_record(ByteView bytes);

}  // namespace azlock::ops
