// argv as the program sees it and as everybody else on the machine sees it.
#pragma once

#include <string>
#include <vector>

namespace azlock::cli {

// Copies the arguments and masks SAS signatures in the originals, so that `ps` does not show them for longer than the
// moment of the start. Called as `azup`, the first argument becomes "upload".
[[nodiscard]] std::vector<std::string> take_arguments(int argc, char** argv);

}  // namespace azlock::cli
