#include "cli/program/confirm.hpp"

#include <iostream>

#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/wait.hpp"

namespace azlock::cli {

bool can_ask() {
    return isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
}

Result<std::string> ask(const std::string& question, const std::stop_token& stop) {
    std::cerr << question << std::flush;
    const StopSignal signal(stop);
    if (wait_ready(STDIN_FILENO, POLLIN, kNoDeadline, SystemClock(), signal) == Wake::stopped)
        return fail(ErrorCode::cancelled, "stopped by a signal; nothing was done");
    std::string answer;
    std::getline(std::cin, answer);
    return std::string(trim(answer));
}

}  // namespace azlock::cli
