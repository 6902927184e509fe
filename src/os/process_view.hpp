// Whether this process can find and end what its commands start.
#pragma once

#include <string_view>

#include <sys/types.h>

#include "base/result.hpp"

namespace azlock::os {

// `status`: what /proc/self/status holds, empty if it cannot be read. Error (config): it is not the status of process
// `us` as the PID namespace of that process counts.
[[nodiscard]] Status check_proc(std::string_view status, pid_t us);

// /proc shows this process, and the kernel lets it signal a process without mistaking it for another one. The error
// (config; io: a limit of the system) names the remedy.
[[nodiscard]] Status check_process_view();

}  // namespace azlock::os
