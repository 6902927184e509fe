#include "cli/program/confirm.hpp"

#include <iostream>

#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/wait.hpp"

namespace azlock::cli {

decltype(Surroundings::ask) terminal_asker(const Clock& clock) {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return {};
    return [&clock](const std::string& question, const std::stop_token& stop) -> Result<std::string> {
        std::cerr << question << std::flush;
        const StopSignal signal(stop);
        if (wait_ready(STDIN_FILENO, POLLIN, kNoDeadline, clock, signal) == Wake::stopped)
            return fail(ErrorCode::cancelled, "stopped by a signal; nothing was done");
        std::string answer;
        std::getline(std::cin, answer);
        return std::string(trim(answer));
    };
}

}  // namespace azlock::cli
