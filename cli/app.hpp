// The whole command line: parses it, runs the chosen command, prints its error, returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/program/surroundings.hpp"

namespace azlock::cli {

// `arguments` without the program's name. Blocks INT, TERM, HUP and QUIT during the call.
[[nodiscard]] int run_app(const Surroundings& surroundings, std::vector<std::string> arguments);

// From now on a limit of the system that a thread of a library hits ends the process as one of our own does: with the
// exit code 74 and its sentence, which is JSON if `arguments` ask for that.
void tell_limits_of_other_threads(const std::vector<std::string>& arguments);

}  // namespace azlock::cli
