// Whether this process has started a command of the user, which shares our streams.
#pragma once

namespace azlock::os {

void note_command_started() noexcept;
[[nodiscard]] bool command_was_started() noexcept;

}  // namespace azlock::os
