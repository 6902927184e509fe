#include "base/random.hpp"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <stdexcept>

#include <sys/random.h>

namespace azlock {

double Random::unit() {
    return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

std::string Random::uuid() {
    const std::uint64_t high = (next() & ~0xF000ULL) | 0x4000ULL;         // version 4
    const std::uint64_t low = (next() & ~(3ULL << 62U)) | (2ULL << 62U);  // RFC 4122 variant
    std::array<char, 64> out{};
    const int size =
        std::snprintf(out.data(), out.size(), "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
                      high >> 32U, (high >> 16U) & 0xFFFFU, high & 0xFFFFU, low >> 48U, low & 0xFFFFFFFFFFFFU);
    return {out.data(), static_cast<std::size_t>(size)};
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

}  // namespace azlock
