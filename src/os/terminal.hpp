// The controlling terminal and job control, as a program sees them that runs a command in a group of its own.
#pragma once

#include "base/file.hpp"

namespace azlock::os {

class Terminal {
  public:
    // The controlling terminal of the process, if it has one.
    Terminal();

    [[nodiscard]] bool exists() const { return static_cast<bool>(terminal_); }
    // Our process group is the terminal's foreground group.
    [[nodiscard]] bool ours() const;
    // The command is to get it from the start: it is ours, and both standard input and output are terminals. (In
    // `azlock ... | less` the other one needs it; the command then gets it when it asks.)
    [[nodiscard]] bool to_be_given() const;
    // There is a shell that would continue us.
    [[nodiscard]] static bool job_can_stop();
    // Stops our process group, as ^Z would have; returns when the job is continued.
    static void stop_job();

  private:
    Fd terminal_;
};

}  // namespace azlock::os
