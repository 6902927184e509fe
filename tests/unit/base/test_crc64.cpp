// base/crc64: published sums, both implementations compared with each other and with the definition, and combining.
#include <algorithm>
#include <string>
#include <vector>

#include "base/crc64.hpp"
#include "base/random.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;

namespace {

// The definition, a bit at a time: no table, no folding.
std::uint64_t by_definition(ByteView data) {
    std::uint64_t state = ~std::uint64_t{0};
    for (const std::byte b : data) {
        state ^= std::to_integer<std::uint64_t>(b);
        for (int bit = 0; bit < 8; ++bit) state = (state >> 1U) ^ ((state & 1U) != 0 ? 0x9A6C9329AC4BC9B5U : 0U);
    }
    return ~state;
}

std::uint64_t sum(ByteView data, Crc64Path path) {
    Crc64 crc(path);
    crc.update(data);
    return crc.value();
}

Bytes random_bytes(std::size_t size, std::uint64_t seed) {
    SeededRandom random(seed);
    Bytes bytes(size);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.next() & 0xFFU);
    return bytes;
}

constexpr Crc64Path kPaths[] = {Crc64Path::fastest, Crc64Path::table};

}  // namespace

TEST_CASE("CRC-64/NVME of the published texts, as a number and as the header carries it") {
    std::string every_byte;
    for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
    struct Vector {
        std::string input;
        std::uint64_t crc;
        const char* header;
    };
    const std::vector<Vector> vectors{
        {"", 0, "AAAAAAAAAAA="},
        {"Hello Azure!", 0xc7a37fbfa4d9d80e, "DtjZpL9/o8c="},
        {"123456789", 0xae8b14860a799888, "iJh5CoYUi64="},
        {"a", 0x8c2f8445b4cbfc3c, "PPzLtEWEL4w="},
        {every_byte, 0xff71e21279d9966e, "bpbZeRLicf8="},
        {std::string(1024, '\0'), 0x691bb2b09be5498a, "iknlm7CyG2k="},
    };
    for (const Vector& v : vectors) {
        for (const Crc64Path path : kPaths) CHECK(sum(as_bytes(v.input), path) == v.crc);
        CHECK(crc64(as_bytes(v.input)) == v.crc);
        CHECK(by_definition(as_bytes(v.input)) == v.crc);
        CHECK(crc64_header(v.crc) == v.header);
    }
}

TEST_CASE("both ways agree with the definition at every small length and alignment") {
    const Bytes data = random_bytes(400 + 16, 11);
    for (std::size_t start = 0; start < 16; ++start) {
        for (std::size_t length = 0; length <= 400; ++length) {
            const ByteView piece = ByteView(data).subspan(start, length);
            const std::uint64_t expected = by_definition(piece);
            REQUIRE(sum(piece, Crc64Path::fastest) == expected);
            REQUIRE(sum(piece, Crc64Path::table) == expected);
        }
    }
}

TEST_CASE("bytes fed in random pieces give the sum of the whole") {
    const Bytes data = random_bytes(100'000, 12);
    const std::uint64_t expected = by_definition(data);
    SeededRandom random(13);
    for (int round = 0; round < 50; ++round) {
        for (const Crc64Path path : kPaths) {
            Crc64 crc(path);
            for (std::size_t at = 0; at < data.size();) {
                const std::size_t most = random.next() % 2 == 0 ? 100 : 10'000;
                const std::size_t n = std::min<std::size_t>(random.next() % most, data.size() - at);
                crc.update(ByteView(data).subspan(at, n));
                at += n;
            }
            REQUIRE(crc.value() == expected);
        }
    }
}

TEST_CASE("value() can be asked for on the way") {
    Crc64 crc;
    CHECK(crc.value() == 0);
    crc.update(as_bytes("Hello "));
    CHECK(crc.value() == crc64(as_bytes("Hello ")));
    crc.update({});
    crc.update(as_bytes("Azure!"));
    CHECK(crc.value() == 0xc7a37fbfa4d9d80e);
}
