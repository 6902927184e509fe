// Standard error for a process that must not wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace azlock::os {

// A pipe that nobody reads or a stopped terminal blocks the caller for `at_most`. What is left of the text then is
// lost. Returns how many bytes were written.
std::size_t say_within(std::string_view text, std::chrono::milliseconds at_most);

// Never waits.
inline void say_at_once(std::string_view text) {
    (void)say_within(text, std::chrono::milliseconds(0));
}

}  // namespace azlock::os
