#include "os/exit_status.hpp"

#include <cerrno>

#include <sys/wait.h>

namespace azlock::os {

CommandEnd command_end(int wait_status) {
    if (WIFSIGNALED(wait_status)) return {std::nullopt, WTERMSIG(wait_status)};
    return {WEXITSTATUS(wait_status), std::nullopt};
}

int exit_code_of(int wait_status) {
    const CommandEnd end = command_end(wait_status);
    return end.signal ? 128 + *end.signal : *end.exit_code;
}

StartFailure start_failure(bool at_exec, int error) {
    if (!at_exec) return StartFailure::cannot_start;
    return error == ENOENT ? StartFailure::not_found : StartFailure::not_executable;
}

StartFailure start_failure(const Error& error) {
    if (error.retryable) return StartFailure::cannot_start;  // a limit of the system
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
