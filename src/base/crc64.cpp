#include "base/crc64.hpp"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace azlock {
namespace {

// Polynomials over GF(2) in 64 bits, mirrored: bit 63 is x^0, bit 0 is x^63. This is the generator without its x^64.
constexpr std::uint64_t kPolynomial = 0x9A6C9329AC4BC9B5;
constexpr std::uint64_t kOne = std::uint64_t{1} << 63U;

constexpr std::uint64_t times_x(std::uint64_t p) {
    return (p >> 1U) ^ ((p & 1U) != 0 ? kPolynomial : 0);
}

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    for (; a != 0; a <<= 1U) {
        if ((a & kOne) != 0) product ^= b;
        b = times_x(b);
    }
    return product;
}

// x^n modulo the generator.
constexpr std::uint64_t power_of_x(std::uint64_t n) {
    std::uint64_t result = kOne;
    for (std::uint64_t square = kOne >> 1U; n != 0; n >>= 1U) {
        if ((n & 1U) != 0) result = times(result, square);
        square = times(square, square);
    }
    return result;
}

// kTables[k][b]: what byte b contributes when k more bytes follow it.
constexpr std::size_t kSlices = 16;
using Tables = std::array<std::array<std::uint64_t, 256>, kSlices>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint64_t b = 0; b < 256; ++b) {
        std::uint64_t value = b;
        for (int bit = 0; bit < 8; ++bit) value = times_x(value);
        tables[0][b] = value;
    }
    for (std::size_t k = 1; k < kSlices; ++k) {
        for (std::size_t b = 0; b < 256; ++b) {
            const std::uint64_t before = tables[k - 1][b];
            tables[k][b] = (before >> 8U) ^ tables[0][before & 0xFFU];
        }
    }
    return tables;
}
constexpr Tables kTables = make_tables();

std::uint64_t load_little_endian(const std::byte* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

std::uint64_t update_by_table(std::uint64_t state, const std::byte* data, std::size_t size) {
    for (; size >= kSlices; data += kSlices, size -= kSlices) {
        const std::uint64_t low = load_little_endian(data) ^ state;
        const std::uint64_t high = load_little_endian(data + 8);
        state = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            state ^= kTables[15 - i][(low >> (8 * i)) & 0xFFU] ^ kTables[7 - i][(high >> (8 * i)) & 0xFFU];
        }
    }
    for (; size > 0; ++data, --size) {
        state = (state >> 8U) ^ kTables[0][(state ^ std::to_integer<std::uint64_t>(*data)) & 0xFFU];
    }
    return state;
}

#if defined(__x86_64__)

// Folding: 16 bytes A (first half L, second half H) that are followed by n bits equal L * x^(n+64) + H * x^n modulo the
// generator. The instruction puts the product of two mirrored polynomials one place too low, which multiplies it by x
// once too often. Therefore the exponents have a -1.
template <int kBits>
__attribute__((target("pclmul"))) inline __m128i fold(__m128i a, __m128i next) {
    constexpr std::uint64_t kForFirst = power_of_x(kBits + 64 - 1);
    constexpr std::uint64_t kForSecond = power_of_x(kBits - 1);
    const __m128i weights = _mm_set_epi64x(static_cast<std::int64_t>(kForSecond), static_cast<std::int64_t>(kForFirst));
    return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(a, weights, 0x00),    // first halves
                                             _mm_clmulepi64_si128(a, weights, 0x11)));  // second halves
}

inline __m128i load(const std::byte* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// Four lanes of 16 bytes hide the latency of the multiplication. At the end 16 bytes are left. They have the same
// remainder as all the bytes that went into the lanes.
__attribute__((target("pclmul"))) std::uint64_t update_by_folding(std::uint64_t state, const std::byte* data,
                                                                  std::size_t size) {
    constexpr std::size_t kStride = 64;
    if (size < kStride) return update_by_table(state, data, size);
    __m128i a = _mm_xor_si128(load(data), _mm_set_epi64x(0, static_cast<std::int64_t>(state)));
    __m128i b = load(data + 16);
    __m128i c = load(data + 32);
    __m128i d = load(data + 48);
    for (data += kStride, size -= kStride; size >= kStride; data += kStride, size -= kStride) {
        a = fold<512>(a, load(data));
        b = fold<512>(b, load(data + 16));
        c = fold<512>(c, load(data + 32));
        d = fold<512>(d, load(data + 48));
    }
    d = fold<128>(fold<128>(fold<128>(a, b), c), d);
    for (; size >= 16; data += 16, size -= 16) d = fold<128>(d, load(data));
    std::array<std::byte, 16> rest{};
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.data()), d);
    return update_by_table(update_by_table(0, rest.data(), rest.size()), data, size);
}

bool can_fold() {
    static const bool kCan = __builtin_cpu_supports("pclmul") != 0;
    return kCan;
}

#else

std::uint64_t update_by_folding(std::uint64_t state, const std::byte* data, std::size_t size) {
    return update_by_table(state, data, size);
}

bool can_fold() {
    return false;
}

#endif

}  // namespace

void Crc64::update(ByteView data) {
    const bool folding = path_ == Crc64Path::fastest && can_fold();
    state_ = (folding ? update_by_folding : update_by_table)(state_, data.data(), data.size());
}

std::uint64_t crc64(ByteView data) {
    Crc64 sum;
    sum.update(data);
    return sum.value();
}

std::string crc64_header(std::uint64_t crc) {
    std::array<std::byte, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((crc >> (8 * i)) & 0xFFU);
    return base64_encode(bytes);
}

}  // namespace azlock
