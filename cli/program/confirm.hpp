// Asks somebody at a terminal before something is done that cannot be undone.
#pragma once

#include <stop_token>
#include <string>

#include "base/result.hpp"

namespace azlock::cli {

// Standard input and standard error are a terminal.
[[nodiscard]] bool can_ask();

// Prints the question on standard error and reads one line, without the blanks around it. Error: cancelled, where a
// signal came first.
[[nodiscard]] Result<std::string> ask(const std::string& question, const std::stop_token& stop);

}  // namespace azlock::cli
