#include "cli/program/confirm.hpp"

#include <iostream>

#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"

namespace azlock::cli {
namespace {

// False if a signal came first.
bool wait_for_input(const std::stop_token& stop) {
    constexpr int kLookEveryMs = 50;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (!stop.stop_requested()) {
        if (poll(&input, 1, kLookEveryMs) > 0) return true;
    }
    return false;
}

}  // namespace

bool can_ask() {
    return isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
}

Result<std::string> ask(const std::string& question, const std::stop_token& stop) {
    std::cerr << question << std::flush;
    if (!wait_for_input(stop)) return fail(ErrorCode::cancelled, "stopped by a signal; nothing was done");
    std::string answer;
    std::getline(std::cin, answer);
    return std::string(trim(answer));
}

}  // namespace azlock::cli
