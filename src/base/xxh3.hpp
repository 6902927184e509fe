// XXH3-128: a hash that is many times faster than SHA-256, for content that no attacker has made.
#pragma once

#include <array>
#include <memory>

#include "base/encoding.hpp"

using XXH3_state_t = struct XXH3_state_s;

namespace azlock {

// In the canonical form: the high half first, big-endian, as xxhsum prints it.
using Xxh3Sum = std::array<std::byte, 16>;

[[nodiscard]] Xxh3Sum xxh3(ByteView data);

// Incremental: call update() any number of times, then finish() once. Not thread-safe. No seed.
class Xxh3 {
  public:
    Xxh3();
    void update(ByteView data);
    [[nodiscard]] Xxh3Sum finish();

  private:
    struct Free {
        void operator()(XXH3_state_t* state) const;
    };
    std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace azlock
