// A line for the shell, run beside everything else.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace azlock::os {

// `/bin/sh -c TEXT` with our streams, default signals and the environment changed as in Launch; waits for its end and
// returns the wait status.
[[nodiscard]] Result<int> run_shell(const std::string& text, const std::vector<std::string>& environment_changes);

}  // namespace azlock::os
