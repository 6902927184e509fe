// How the end of a command becomes an exit code, as in a shell.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace azlock::os {

// The exit code of a command that was ended because its time was over, as with timeout(1).
inline constexpr int kExitTimedOut = 124;

// A command that has ended, from a status of waitpid(). One of the two is set.
struct CommandEnd {
    std::optional<int> exit_code;
    std::optional<int> signal;  // that killed it
};
[[nodiscard]] CommandEnd command_end(int wait_status);
// From a status of waitpid(): the command's own code, or 128+N if signal N killed it.
[[nodiscard]] int exit_code_of(int wait_status);

// Why a command was not started.
enum class StartFailure {
    none,
    cannot_start,    // 125: anything else
    not_executable,  // 126
    not_found        // 127
};
// `at_exec`: the failure was that of execve(). `error`: its errno.
[[nodiscard]] StartFailure start_failure(bool at_exec, int error);
// The same for an error of Child::start().
[[nodiscard]] StartFailure start_failure(const Error& error);
// 125 to 127.
[[nodiscard]] int exit_code_of(StartFailure failure);

// "exit code 3", "killed by signal 9"; from such a code.
[[nodiscard]] std::string describe_exit_code(int code);

}  // namespace azlock::os
