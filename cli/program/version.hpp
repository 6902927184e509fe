// The versions of azlock, the API and the libraries.
#pragma once

#include <string>

#include "cli/output/output.hpp"

namespace azlock::cli {

[[nodiscard]] std::string version();  // "0.1.0"
// Prints version, commit, API version and libraries, as lines or as JSON. Error: io.
[[nodiscard]] Status show_version(Output& output);

}  // namespace azlock::cli
