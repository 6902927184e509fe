// Keeps a command running under a lock, term after term, until there must be no further term.
#pragma once

#include "base/backoff.hpp"
#include "ops/lock/locked_run.hpp"

namespace azlock::ops {

// How long a candidate waits after a term. After a term of at least kLongTerm that was not lost, there is no pause and
// the backoff starts again. After any other term the pause has decorrelated jitter: from one second to three times the
// pause before, at most one minute.
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

// Runs terms and pauses between them. Returns the end of the last term: after a signal, if the guard has gone or could
// not end all processes, if the command cannot be executed, if the lock cannot be acquired and a later try would
// not help. `signalled`: somebody asked azlock to stop during a term; between two terms that is `refused`, with the
// error `cancelled`. `once`: there is one term only, and it begins after at most `retries` tries without an answer.
//
// One guard serves all terms. It starts the command again after it has reported that no process of the last term is
// left. Orders and reports keep their order, so none of them can reach a later term.
[[nodiscard]] LockedRunEnd run_election(LockedRun& term, bool once, int retries);

}  // namespace azlock::ops
