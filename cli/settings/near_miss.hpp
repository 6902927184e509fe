// Variables that other tools read, and that somebody may have set for azlock.
#pragma once

#include <string>

namespace azlock::cli {

// A sentence about a variable that is set, that azlock does not read, and that is near to one that it reads. Empty:
// there is none.
[[nodiscard]] std::string near_miss();

}  // namespace azlock::cli
