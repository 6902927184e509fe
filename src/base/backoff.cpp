#include "base/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace azlock {

using std::chrono::nanoseconds;

nanoseconds jittered(nanoseconds span, double low, double high, Random& random) {
    return nanoseconds(std::llround(static_cast<double>(span.count()) * (low + (high - low) * random.unit())));
}

nanoseconds DecorrelatedJitter::next(nanoseconds longest) {
    if (last_ == nanoseconds(0) && first_ != nanoseconds(0)) {
        last_ = std::min(first_, longest);
        return last_;
    }
    const nanoseconds before = last_ == nanoseconds(0) ? shortest_ : last_;
    const nanoseconds most = std::max(3 * before, shortest_);
    last_ = std::min(longest, shortest_ + jittered(most - shortest_, 0, 1, random_));
    return last_;
}

}  // namespace azlock
