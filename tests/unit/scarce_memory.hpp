// A system that gives no memory at some moment of a test.
#pragma once

#include <cstdint>

namespace azlock::test {

// While this lives, allocations of this process fail (std::bad_alloc): from the `first` one on (counted from 0),
// `count` of them. There may be only one.
class ScarceMemory {
  public:
    explicit ScarceMemory(std::int64_t first, std::int64_t count = 1);
    ~ScarceMemory();
    ScarceMemory(const ScarceMemory&) = delete;
    ScarceMemory& operator=(const ScarceMemory&) = delete;

    // The first of them was reached.
    [[nodiscard]] static bool reached();

    // While this lives, the allocations of this thread neither fail nor count: they are those of another process.
    class Spared {
      public:
        Spared();
        ~Spared();
        Spared(const Spared&) = delete;
        Spared& operator=(const Spared&) = delete;
    };
};

}  // namespace azlock::test
