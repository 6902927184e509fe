#include "os/terminal.hpp"

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "os/process_tree.hpp"

namespace azlock::os {

Terminal::Terminal() : terminal_(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

bool Terminal::ours() const {
    return exists() && tcgetpgrp(terminal_.get()) == getpgrp();
}

bool Terminal::to_be_given() const {
    return ours() && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
}

bool Terminal::job_can_stop() {
    // False if the group is orphaned: none of its processes has a parent in the same session but in another group.
    const pid_t group = getpgrp();
    const pid_t our_sid = getsid(0);
    for (const ProcessInfo& info : all_processes()) {
        if (getpgid(info.pid) != group) continue;
        if (getpgid(info.parent) != group && getsid(info.parent) == our_sid) return true;
    }
    return false;
}

void Terminal::stop_job() {
    kill(0, SIGSTOP);
}

}  // namespace azlock::os
