// Asks a user at a terminal before azlock does something that cannot be undone.
#pragma once

#include <stop_token>
#include <string>

#include "base/result.hpp"

namespace azlock::cli {

// True if standard input and standard error are terminals.
[[nodiscard]] bool can_ask();

// Prints the question on standard error and reads one line, without the blanks around it. Error: cancelled, if a signal
// came first.
[[nodiscard]] Result<std::string> ask(const std::string& question, const std::stop_token& stop);

}  // namespace azlock::cli
