// The code that runs in the process of the guard.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace azlock::os {

// Never returns. `socket` is connected to azlock, whose process id is `azlock`.
[[noreturn]] void run_guard(const std::vector<std::string>& argv, int socket, pid_t azlock);

}  // namespace azlock::os
