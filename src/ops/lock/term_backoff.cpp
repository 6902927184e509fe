#include "ops/lock/term_backoff.hpp"

#include <algorithm>
#include <cmath>

namespace azlock::ops {

using std::chrono::nanoseconds;

nanoseconds TermBackoff::after_term(nanoseconds length, bool lost) {
    if (length >= kLongTerm && !lost) {
        last_ = nanoseconds(0);
        return last_;
    }
    const nanoseconds shortest = kShortest;
    const double low = static_cast<double>(shortest.count());
    const double high = 3 * static_cast<double>(std::max(last_, shortest).count());
    last_ = std::min<nanoseconds>(kLongest, nanoseconds(std::llround(low + (high - low) * random_.unit())));
    return last_;
}

}  // namespace azlock::ops
