// XXH3-128: a hash that is many times faster than SHA-256, for content that no attacker has made.
#pragma once

#include <array>
#include <memory>

#include "base/encoding.hpp"

namespace azlock {

// In the canonical form: the high half first, big-endian, as xxhsum prints it.
using Xxh3Sum = std::array<std::byte, 16>;

[[nodiscard]] Xxh3Sum xxh3(ByteView data);

namespace detail {
struct Xxh3State;
struct Xxh3StateDeleter {
    void operator()(Xxh3State* state) const;
};
}  // namespace detail

// Incremental: call update() any number of times, then finish() once. Not thread-safe. No seed.
class Xxh3 {
  public:
    Xxh3();
    void update(ByteView data);
    [[nodiscard]] Xxh3Sum finish();

  private:
    std::unique_ptr<detail::Xxh3State, detail::Xxh3StateDeleter> state_;
};

}  // namespace azlock
