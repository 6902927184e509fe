// Somebody stops the guard again and again, as often as possible.
#pragma once

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "os/guard.hpp"
#include "os/process_tree.hpp"

namespace azlock::test {

// `from`: begins when this is true.
inline std::jthread stopping(const os::Guard& guard, std::function<bool()> from = {}) {
    return std::jthread([pid = guard.pid(), from = std::move(from)](const std::stop_token& over) {
        while (from && !over.stop_requested() && !from()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        while (!over.stop_requested()) (void)::kill(pid, SIGSTOP);
    });
}

// The guard has told the end of the command, which has written its process id to `file`: there is no such process, and
// the guard sleeps again. For another thread than the guard's: so it takes the id that the guard had at the start.
inline bool end_is_told(pid_t guard, const std::string& file) {
    pid_t command = 0;
    if (!(std::ifstream(file) >> command) || os::find_process(command)) return false;
    const auto found = os::find_process(guard);
    return found && found->state == 'S';
}

}  // namespace azlock::test
