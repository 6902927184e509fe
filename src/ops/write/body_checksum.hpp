// Chooses the checksum of a request's body, and reads what the service's answers say about it.
#pragma once

#include "azure/address.hpp"
#include "azure/types.hpp"
#include "base/encoding.hpp"
#include "base/error.hpp"

namespace azlock::ops {

// CRC64, but MD5 for the emulator's account: the emulator refuses CRC64, after reading the whole body.
[[nodiscard]] azure::Checksum::Kind first_checksum_kind(const azure::Endpoint& endpoint);
// True if the service does not know CRC64: send MD5.
[[nodiscard]] bool refuses_crc64(const Error& error);
// True if the service computed another checksum than the request has: nothing was stored.
[[nodiscard]] bool is_checksum_mismatch(const Error& error);

[[nodiscard]] azure::Checksum checksum_of(ByteView bytes, azure::Checksum::Kind kind);

}  // namespace azlock::ops
