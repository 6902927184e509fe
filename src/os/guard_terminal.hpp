// The terminal of azlock's job, as the guard handles it: the command has it while it runs in the foreground. Then
// azlock's process group gets it back.
#pragma once

#include <sys/types.h>
#include <termios.h>

namespace azlock::os {

class GuardTerminal {
  public:
    // To be called while the guard is in azlock's process group.
    void open();

    [[nodiscard]] int fd() const { return fd_; }  // -1: there is none
    void give_to(pid_t group) const;
    // Gives it to azlock's group, if the command's group has it, or one that has ended.
    void take_from(pid_t command) const;
    // A command that a signal has ended may leave the terminal without echo. Only if azlock's group has the terminal.
    void restore_modes() const;

  private:
    int fd_ = -1;
    pid_t azlock_group_ = 0;
    bool has_modes_ = false;
    termios modes_{};
};

}  // namespace azlock::os
