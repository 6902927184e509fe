// Starts the command with its process group, terminal, signal state and environment, and reports what failed.
#pragma once

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

namespace azlock::os {

// The environment of this process with the changes: "NAME=VALUE", or "NAME" to unset it. `changes` has each name at
// most once.
[[nodiscard]] std::vector<std::string> changed_environment(const std::vector<std::string>& changes);
// Pointers to the texts and a null pointer at the end, as exec needs them. The texts must outlive them. Make them
// before a fork: nothing may allocate memory after it.
[[nodiscard]] std::vector<char*> exec_pointers(const std::vector<std::string>& texts);

// Signal mask and dispositions as our parent gave them to us.
class SignalState {
  public:
    // Those that the process had when this was first called. Call it before changing any.
    static const SignalState& at_start();
    void restore() const;

  private:
    static SignalState save();

    sigset_t mask_{};
    std::array<struct sigaction, 65> actions_{};
};

// Descriptors for the standard input, output and error of the command; -1: ours.
struct Streams {
    std::array<int, 3> fds{-1, -1, -1};
};

struct Launch {
    const std::vector<std::string>& argv;
    const std::vector<std::string>& environment_changes;  // "NAME=VALUE", or "NAME" to unset it
    const SignalState& signals;
    int terminal = -1;        // controlling terminal, -1: none
    bool foreground = false;  // give the terminal to the command's group
    Streams streams = {};     // no descriptor is below 3
    int cgroup = -1;          // CommandCgroup::entrance()
};

struct Launched {
    pid_t pid = -1;        // -1: it does not run
    int error = 0;         // errno of what failed
    bool at_exec = false;  // the command itself could not be executed
};

// Forks and executes the command in its own process group; the group id is its process id. The kernel kills the child
// if the calling thread ends (PR_SET_PDEATHSIG). All our descriptors must be close-on-exec. Call it in a
// single-threaded process.
[[nodiscard]] Launched launch(const Launch& what);

// Makes `group` the foreground group of the terminal, even if we are in the background.
void give_terminal(int terminal, pid_t group);

}  // namespace azlock::os
