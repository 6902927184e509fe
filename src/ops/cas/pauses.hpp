// How long an update waits beside a lease, so that all writers get through.
#pragma once

#include <chrono>

namespace azlock::ops {

// The pause between two looks at a lease, from the time waited so far. It is short at first, because the lease may be a
// short turn. Then it grows, so that many waiting writers do not overload the blob. After ten seconds it gets shorter
// again, so that later writers do not overtake one that has waited for long.
[[nodiscard]] std::chrono::nanoseconds between_looks(std::chrono::nanoseconds waited);

// How long the blob is without a lease before we take a turn, at least. Then writers who know nothing of turns get
// through. `last_try`: how long our last try took; others need about as long for theirs.
[[nodiscard]] std::chrono::nanoseconds room_for_others(std::chrono::nanoseconds last_try);

}  // namespace azlock::ops
