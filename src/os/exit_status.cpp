#include "os/exit_status.hpp"

#include <cerrno>

#include <sys/wait.h>

namespace azlock::os {

int exit_code_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

StartFailure start_failure(bool at_exec, int error) {
    if (!at_exec) return StartFailure::cannot_start;
    return error == ENOENT ? StartFailure::not_found : StartFailure::not_executable;
}

StartFailure start_failure(const Error& error) {
    return error.code == ErrorCode::input_missing ? StartFailure::not_found : StartFailure::not_executable;
}

int exit_code_of(StartFailure failure) {
    switch (failure) {
        case StartFailure::none: return 0;
        case StartFailure::cannot_start: return 125;
        case StartFailure::not_executable: return 126;
        case StartFailure::not_found: return 127;
    }
    return 125;
}

std::string describe_exit_code(int code) {
    return code > 128 ? "killed by signal " + std::to_string(code - 128) : "exit code " + std::to_string(code);
}

}  // namespace azlock::os
