// For tests with threads: waits for what another thread does, and checks where Catch2's macros cannot be used.
#pragma once

#include <chrono>
#include <stdexcept>
#include <thread>

namespace azlock::test {

// A check for other threads than the test's own. A failure ends the program.
inline void must(bool holds) {
    if (!holds) throw std::runtime_error("what a thread of the test relies on does not hold");
}

// Waits until the condition holds. False after a deadline that only a hang reaches.
template <typename Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 60'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
}

}  // namespace azlock::test
