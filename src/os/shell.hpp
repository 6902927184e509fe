// Runs one line in the shell.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace azlock::os {

// Runs `/bin/sh -c TEXT` with our streams, default signals and a changed environment (see Launch). Waits for its end
// and returns the wait status. Error: io.
[[nodiscard]] Result<int> run_shell(const std::string& text, const std::vector<std::string>& environment_changes);

}  // namespace azlock::os
