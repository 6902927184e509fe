// How long a candidate waits after a term that was lost or short.
#pragma once

#include <chrono>

#include "base/backoff.hpp"

namespace azlock::ops {

// After a term of at least kLongTerm that was not lost, there is no pause and the backoff starts again. After any other
// term the pause has decorrelated jitter: from one second to three times the pause before, at most one minute.
class TermBackoff {
  public:
    static constexpr std::chrono::seconds kLongTerm{10};
    static constexpr std::chrono::seconds kShortest{1};
    static constexpr std::chrono::seconds kLongest{60};

    explicit TermBackoff(Random& random) : pauses_(random, kShortest, kLongest) {}
    [[nodiscard]] std::chrono::nanoseconds after_term(std::chrono::nanoseconds length, bool lost);

  private:
    DecorrelatedJitter pauses_;
};

}  // namespace azlock::ops
