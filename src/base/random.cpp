#include "base/random.hpp"

#include <array>
#include <cerrno>
#include <stdexcept>

#include <sys/random.h>

namespace azlock {

double Random::unit() {
    return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

std::string Random::uuid() {
    static constexpr char kHex[] = "0123456789abcdef";
    std::array<std::uint64_t, 2> words{next(), next()};
    words[0] = (words[0] & ~0xF000ULL) | 0x4000ULL;          // version 4
    words[1] = (words[1] & ~(3ULL << 62U)) | (2ULL << 62U);  // RFC 4122 variant
    std::string out;
    out.reserve(36);
    for (std::size_t nibble = 0; nibble < 32; ++nibble) {
        if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) out += '-';
        const std::uint64_t word = words[nibble / 16];
        out += kHex[(word >> (60U - 4U * (nibble % 16))) & 0xFU];
    }
    return out;
}

std::uint64_t SystemRandom::next() {
    std::uint64_t value = 0;
    ssize_t got = 0;
    do {
        got = getrandom(&value, sizeof value, 0);
    } while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(sizeof value)) throw std::runtime_error("getrandom failed");
    return value;
}

std::uint64_t SeededRandom::next() {
    const std::lock_guard lock(mutex_);
    return engine_();
}

}  // namespace azlock
