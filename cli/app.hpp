// The whole command line: parses it, runs the chosen command, prints its error, returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/program/surroundings.hpp"

namespace azlock::cli {

// `arguments` without the program's name. Blocks INT, TERM, HUP and QUIT during the call.
[[nodiscard]] int run_app(const Surroundings& surroundings, std::vector<std::string> arguments);

}  // namespace azlock::cli
