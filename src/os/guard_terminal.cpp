#include "os/guard_terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "os/launch.hpp"

namespace azlock::os {

void GuardTerminal::open() {
    azlock_group_ = getpgrp();
    fd_ = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd_ >= 0) has_modes_ = tcgetattr(fd_, &modes_) == 0;
}

void GuardTerminal::give_to(pid_t group) const {
    if (fd_ >= 0) give_terminal(fd_, group);
}

void GuardTerminal::take_from(pid_t command) const {
    if (fd_ < 0) return;
    const pid_t front = tcgetpgrp(fd_);
    if (front == command || (front > 0 && front != azlock_group_ && kill(-front, 0) != 0)) {
        give_terminal(fd_, azlock_group_);
    }
}

void GuardTerminal::restore_modes() const {
    if (has_modes_ && tcgetpgrp(fd_) == azlock_group_) tcsetattr(fd_, TCSADRAIN, &modes_);
}

}  // namespace azlock::os
