// How long a candidate stays away after a term that was lost or short.
#pragma once

#include <chrono>

#include "base/random.hpp"

namespace azlock::ops {

// A term that lasted for kLongTerm and was not lost is followed by the next try at once, and forgets what was before.
// After any other: decorrelated jitter, from one second up to three times the pause before, at most a minute.
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
