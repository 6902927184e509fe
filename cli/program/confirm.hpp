// Asks a user at a terminal before azlock does something that cannot be undone.
#pragma once

#include "cli/program/surroundings.hpp"

namespace azlock::cli {

// Prints the question on standard error and reads one line, without the blanks around it. Empty unless standard input
// and standard error are terminals.
[[nodiscard]] decltype(Surroundings::ask) terminal_asker(const Clock& clock);

}  // namespace azlock::cli
