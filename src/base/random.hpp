// Random numbers from an object that is passed in, so that tests can repeat a run.
#pragma once

#include <cstdint>
#include <string>

namespace azlock {

// Thread-safe.
class Random {
  public:
    virtual ~Random() = default;
    [[nodiscard]] virtual std::uint64_t next() = 0;

    // Uniform in [0, 1).
    [[nodiscard]] double unit();
    // A version 4 UUID in its canonical lower-case form, as the service returns lease ids.
    [[nodiscard]] std::string uuid();
};

// From the kernel's generator; unpredictable.
class SystemRandom final : public Random {
  public:
    [[nodiscard]] std::uint64_t next() override;
};

}  // namespace azlock
