// Who runs azlock, where, and in which CI run: the part of an owner record that comes from the system.
#pragma once

#include <string>

#include "ops/lease/owner_record.hpp"

namespace azlock::cli {

// owner, host and run; nothing about the process.
[[nodiscard]] ops::OwnerRecord this_user();

// The same with this process and the command that it runs.
[[nodiscard]] ops::OwnerRecord this_run(const std::string& command);

}  // namespace azlock::cli
