// The versions of azlock, the API and the libraries.
#pragma once

#include <string>

#include "cli/output/output.hpp"

namespace azlock::cli {

[[nodiscard]] std::string version();       // "0.1.0"
[[nodiscard]] std::string version_text();  // several lines: version, commit, API version, libraries
[[nodiscard]] Json version_json();         // the same

}  // namespace azlock::cli
