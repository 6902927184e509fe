// Arguments and environment in the form that exec takes, made before a fork: nothing needs memory between it and exec.
#pragma once

#include <string>
#include <vector>

namespace azlock::os {

// The environment of this process with the changes: "NAME=VALUE", or "NAME" to unset it. Each name at most once.
[[nodiscard]] std::vector<std::string> changed_environment(const std::vector<std::string>& changes);

// Pointers to the texts, which must outlive them, and a null.
[[nodiscard]] std::vector<char*> exec_pointers(const std::vector<std::string>& texts);

}  // namespace azlock::os
