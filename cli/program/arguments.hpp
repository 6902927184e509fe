// The command-line arguments: a copy for the program, and masked originals for everybody else on the machine.
#pragma once

#include <string>
#include <vector>

namespace azlock::cli {

// Copies the arguments and masks SAS signatures in the originals, so that `ps` shows them only at the very start. If
// the program is called as `azup`, "upload" comes before the arguments.
[[nodiscard]] std::vector<std::string> take_arguments(int argc, char** argv);

}  // namespace azlock::cli
