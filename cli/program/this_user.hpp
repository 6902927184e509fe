// Who runs azlock, where, and in which CI run: the part of an owner record that comes from the system.
#pragma once

#include "ops/lease/owner_record.hpp"

namespace azlock::cli {

// owner, host and run; nothing about the process.
[[nodiscard]] ops::OwnerRecord this_user();

}  // namespace azlock::cli
