// The controlling terminal and job control, for a program that runs a command in its own process group.
#pragma once

#include "base/file.hpp"

namespace azlock::os {

class Terminal {
  public:
    // The controlling terminal of the process, if it has one.
    Terminal();

    [[nodiscard]] bool exists() const { return static_cast<bool>(terminal_); }
    // True if our process group is the terminal's foreground group.
    [[nodiscard]] bool ours() const;
    // True if the command must get the terminal at its start: the terminal is ours, and standard input and output are
    // terminals. (In `azlock ... | less`, less needs the terminal. The command gets it when it asks.)
    [[nodiscard]] bool to_be_given() const;
    // True if a shell can continue us after a stop.
    [[nodiscard]] static bool job_can_stop();
    // Stops our process group, as ^Z does. Returns when the job is continued.
    static void stop_job();

  private:
    Fd terminal_;
};

}  // namespace azlock::os
