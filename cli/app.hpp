// The command line as a whole: parse, run the chosen command, print the one error, give the exit code.
#pragma once

#include <string>
#include <vector>

namespace azlock::cli {

// `arguments` without the program's name. Blocks INT, TERM, HUP and QUIT for the time of the call.
[[nodiscard]] int run_app(std::vector<std::string> arguments);

}  // namespace azlock::cli
