#include "ops/lock/term_backoff.hpp"

namespace azlock::ops {

using std::chrono::nanoseconds;

nanoseconds TermBackoff::after_term(nanoseconds length, bool lost) {
    if (length >= kLongTerm && !lost) {
        pauses_.reset();
        return nanoseconds(0);
    }
    return pauses_.next();
}

}  // namespace azlock::ops
