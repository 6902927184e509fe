// Content-MD5 and x-ms-content-crc64 of request bodies: checks what was sent, and returns one of them in the answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/fake_wire.hpp"

namespace azlock::test::fake {

// CRC-64/NVME, byte by byte with a table; and as the header carries it: 8 bytes little-endian in Base64.
[[nodiscard]] std::uint64_t crc64(std::string_view data);
[[nodiscard]] std::string crc64_header(std::string_view data);
[[nodiscard]] std::string md5_header(std::string_view data);

// Compares the body with the checksum that came with it. `md5_name` is the header that counts as Content-MD5.
[[nodiscard]] Check check_integrity(const Call& call, std::string_view md5_name = "Content-MD5");
// Sets Content-MD5 of the reply if one was sent, else x-ms-content-crc64.
void confirm_integrity(const Call& call, Reply& reply);

}  // namespace azlock::test::fake
