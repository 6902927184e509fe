// Standard error for a process that must not wait.
#pragma once

#include <string>

namespace azlock::os {

// Never waits: a pipe that nobody reads or a stopped terminal must not block the guard. The text is lost then.
void say_at_once(const std::string& text);

}  // namespace azlock::os
