// Starting the command: its process group, terminal, signal mask and dispositions, environment; and what went wrong.
#pragma once

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

namespace azlock::os {

// Signal mask and dispositions as our parent gave them to us.
class SignalState {
  public:
    // Takes them from the calling process.
    static SignalState save();
    void restore() const;

  private:
    sigset_t mask_{};
    std::array<struct sigaction, 65> actions_{};
};

// Descriptors for the command's standard input, output and error; -1: those that we have.
struct Streams {
    std::array<int, 3> fds{-1, -1, -1};
};

struct Launch {
    const std::vector<std::string>& argv;
    const std::vector<std::string>& environment_changes;  // "NAME=VALUE", or "NAME" to unset it
    const SignalState& signals;
    int terminal = -1;        // controlling terminal, -1: none
    bool foreground = false;  // give the terminal to the command's group
    Streams streams = {};     // none of them below 3
};

struct Launched {
    pid_t pid = -1;        // -1: it does not run
    int error = 0;         // errno of what failed
    bool at_exec = false;  // the command itself could not be executed
};

// Forks and executes in a process group of its own, whose id is the process id. The child dies with the calling thread
// (PR_SET_PDEATHSIG). Every descriptor of ours must be close-on-exec. Call it in a single-threaded process.
[[nodiscard]] Launched launch(const Launch& what);

// Makes `group` the terminal's foreground group, also from the background.
void give_terminal(int terminal, pid_t group);

}  // namespace azlock::os
