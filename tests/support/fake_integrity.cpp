// Slow checksums that share no code with the client's.
#include "support/fake_integrity.hpp"

#include <array>

#include "base/digest.hpp"
#include "base/encoding.hpp"

namespace azlock::test::fake {
namespace {

std::array<std::uint64_t, 256> make_table() {
    std::array<std::uint64_t, 256> table{};
    for (std::uint64_t i = 0; i < table.size(); ++i) {
        std::uint64_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0x9A6C9329AC4BC9B5ULL : 0);
        table[i] = value;
    }
    return table;
}

}  // namespace

std::uint64_t crc64(std::string_view data) {
    static const std::array<std::uint64_t, 256> table = make_table();
    std::uint64_t crc = ~0ULL;
    for (const char c : data) crc = (crc >> 8U) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
    return ~crc;
}

std::string crc64_header(std::string_view data) {
    const std::uint64_t crc = crc64(data);
    std::array<std::byte, 8> wire{};
    for (std::size_t i = 0; i < wire.size(); ++i) wire[i] = static_cast<std::byte>((crc >> (8 * i)) & 0xFFU);
    return base64_encode(wire);
}

std::string md5_header(std::string_view data) {
    return base64_encode(md5(as_bytes(data)));
}

Check check_integrity(const Call& call, std::string_view md5_name) {
    const bool has_md5 = call.has(md5_name);
    const bool has_crc = call.has("x-ms-content-crc64");
    if (has_md5 && has_crc) return refusal(400, "BothCrc64AndMd5HeaderPresent");
    if (has_md5) {
        const auto sum = base64_decode(call.header(md5_name));
        if (!sum || sum->size() != 16) return refusal(400, "InvalidMd5");
        if (call.header(md5_name) != md5_header(*call.body)) return refusal(400, "Md5Mismatch");
    }
    if (has_crc) {
        const auto sum = base64_decode(call.header("x-ms-content-crc64"));
        if (!sum || sum->size() != 8) return bad_header("x-ms-content-crc64", call.header("x-ms-content-crc64"));
        if (call.header("x-ms-content-crc64") != crc64_header(*call.body)) return refusal(400, "Crc64Mismatch");
    }
    return std::nullopt;
}

void confirm_integrity(const Call& call, Reply& reply) {
    if (call.has("Content-MD5")) {
        reply.headers.set("Content-MD5", md5_header(*call.body));
    } else {
        reply.headers.set("x-ms-content-crc64", crc64_header(*call.body));
    }
}

}  // namespace azlock::test::fake
