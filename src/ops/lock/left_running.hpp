// Processes of a command that have not ended with it.
#pragma once

#include <string>

#include <sys/types.h>

namespace azlock::ops {

// "sleep (4711), make (4713) and 3 more": the descendants of the guard. Empty if there is none.
[[nodiscard]] std::string name_left_running(pid_t guard);

}  // namespace azlock::ops
