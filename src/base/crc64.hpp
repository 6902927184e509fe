// CRC-64/NVME, the checksum of x-ms-content-crc64.
#pragma once

#include <cstdint>
#include <string>

#include "base/encoding.hpp"

namespace azlock {

// How to compute the checksum. Both ways give the same result.
enum class Crc64Path {
    fastest,  // carry-less multiplication if the processor has it, else tables
    table,    // for tests, and for comparing the two
};

// Call update() any number of times. value() returns the sum of all bytes so far, at any time; 0 for no bytes. Not
// thread-safe.
class Crc64 {
  public:
    explicit Crc64(Crc64Path path = Crc64Path::fastest) : path_(path) {}
    void update(ByteView data);
    [[nodiscard]] std::uint64_t value() const { return ~state_; }

  private:
    Crc64Path path_;
    std::uint64_t state_ = ~std::uint64_t{0};
};

[[nodiscard]] std::uint64_t crc64(ByteView data);

// The value of the header: Base64 of the 8 bytes, lowest byte first.
[[nodiscard]] std::string crc64_header(std::uint64_t crc);

}  // namespace azlock
