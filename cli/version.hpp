// Which azlock this is.
#pragma once

#include <string>

namespace azlock::cli {

[[nodiscard]] std::string version();       // "0.1.0"
[[nodiscard]] std::string version_text();  // several lines: version, commit, API version, libraries

}  // namespace azlock::cli
