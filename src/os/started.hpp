// What commands of the user may have written to our standard error.
#pragma once

namespace azlock::os {

// A command was started that shares our standard error.
void note_command_started() noexcept;
[[nodiscard]] bool command_was_started() noexcept;

// We have written what a command said; `ended`: its last line is whole.
void note_passed_on(bool ended) noexcept;
// True if the last line that we passed on is not whole.
[[nodiscard]] bool passed_on_part_of_a_line() noexcept;

}  // namespace azlock::os
