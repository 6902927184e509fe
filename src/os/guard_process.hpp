// What runs in the guard's process.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace azlock::os {

// Never returns. `socket` leads to azlock, whose process id is `azlock`.
[[noreturn]] void run_guard(const std::vector<std::string>& argv, int socket, pid_t azlock);

}  // namespace azlock::os
