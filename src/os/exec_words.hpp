// Arguments and environment in the form that exec needs. Make them before a fork: nothing may allocate memory after it.
#pragma once

#include <string>
#include <vector>

namespace azlock::os {

// The environment of this process with the changes: "NAME=VALUE", or "NAME" to unset it. `changes` has each name at
// most once.
[[nodiscard]] std::vector<std::string> changed_environment(const std::vector<std::string>& changes);

// Pointers to the texts and a null pointer at the end. The texts must outlive them.
[[nodiscard]] std::vector<char*> exec_pointers(const std::vector<std::string>& texts);

}  // namespace azlock::os
