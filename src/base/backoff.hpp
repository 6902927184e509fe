// Random pauses, so that many waiting processes do not act in step.
#pragma once

#include <chrono>

#include "base/random.hpp"

namespace azlock {

// `span`, made random: from `low` to `high` times its length.
[[nodiscard]] std::chrono::nanoseconds jittered(std::chrono::nanoseconds span, double low, double high, Random& random);

// Decorrelated jitter: each pause is random, from `shortest` to three times the one before, at most `longest`. `first`:
// the length of the first pause; zero: random, too.
class DecorrelatedJitter {
  public:
    DecorrelatedJitter(Random& random, std::chrono::nanoseconds shortest, std::chrono::nanoseconds longest,
                       std::chrono::nanoseconds first = {})
        : random_(random), shortest_(shortest), longest_(longest), first_(first) {}

    [[nodiscard]] std::chrono::nanoseconds next() { return next(longest_); }
    // The same with another longest pause this time.
    [[nodiscard]] std::chrono::nanoseconds next(std::chrono::nanoseconds longest);
    // The next pause is the first one again.
    void reset() { last_ = {}; }

  private:
    Random& random_;
    std::chrono::nanoseconds shortest_;
    std::chrono::nanoseconds longest_;
    std::chrono::nanoseconds first_;
    std::chrono::nanoseconds last_{0};
};

}  // namespace azlock
