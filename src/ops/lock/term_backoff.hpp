// How long a candidate waits after a term that was lost or short.
#pragma once

#include <chrono>

#include "base/random.hpp"

namespace azlock::ops {

// After a term of at least kLongTerm that was not lost, there is no pause and the backoff starts again. After any other
// term the pause has decorrelated jitter: from one second to three times the pause before, at most one minute.
class TermBackoff {
  public:
    static constexpr std::chrono::seconds kLongTerm{10};
    static constexpr std::chrono::seconds kShortest{1};
    static constexpr std::chrono::seconds kLongest{60};

    explicit TermBackoff(Random& random) : random_(random) {}
    [[nodiscard]] std::chrono::nanoseconds after_term(std::chrono::nanoseconds length, bool lost);

  private:
    Random& random_;
    std::chrono::nanoseconds last_{0};
};

}  // namespace azlock::ops
