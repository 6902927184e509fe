// How a command ended, from its wait status.
#include <csignal>

#include "os/exit_status.hpp"
#include "support/catch.hpp"

namespace azlock::os {

TEST_CASE("a command ended by itself or by a signal, and the exit code tells which, as in a shell") {
    CHECK(command_end(7 << 8).exit_code == 7);
    CHECK(!command_end(7 << 8).signal);
    CHECK(exit_code_of(7 << 8) == 7);
    CHECK(command_end(SIGKILL).signal == SIGKILL);
    CHECK(!command_end(SIGKILL).exit_code);
    CHECK(exit_code_of(SIGKILL) == 137);
    CHECK(command_end(SIGSEGV | 0x80).signal == SIGSEGV);  // with a core dump
}

TEST_CASE("a command that a limit of the system kept from its start is not one that cannot be executed") {
    Error error = make_error(ErrorCode::io, "cannot make a pipe");
    CHECK(start_failure(error) == StartFailure::not_executable);
    error.retryable = true;
    CHECK(start_failure(error) == StartFailure::cannot_start);
    CHECK(start_failure(make_error(ErrorCode::input_missing, "not there")) == StartFailure::not_found);
}

}  // namespace azlock::os
