// A container "locks", and whole command lines over it. Their guards need real time.
#pragma once

#include <algorithm>
#include <string>

#include <unistd.h>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {

struct LockCommandRig : CommandRig {
    LockCommandRig() : CommandRig(Time::real) { service.make_container("locks"); }
};

// A shell command that sends a signal to azlock, that is to this process.
inline std::string signal_azlock(const std::string& name) {
    return "kill -" + name + " " + std::to_string(::getpid());
}

// What azlock has said on standard error while it runs.
inline std::string said_so_far() {
    std::string out(64 * 1024, '\0');
    out.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(STDERR_FILENO, out.data(), out.size(), 0))));
    return out;
}

}  // namespace azlock::test
