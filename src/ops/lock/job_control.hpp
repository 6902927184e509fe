// The command of a session as a job of the shell: who has the terminal, what stops the command, and how it goes on.
#pragma once

#include <functional>
#include <string>

#include "ops/lock/session_lease.hpp"
#include "os/terminal.hpp"

namespace azlock::ops {

class JobControl {
  public:
    // All references must outlive this. `gives_terminal`: at the start, if azlock has it. `tell` may block.
    JobControl(os::Guard& guard, SessionLease& lease, Clock& clock, const os::Streams& streams, bool gives_terminal,
               const std::function<void(const std::string&)>& tell);

    // The command gets the terminal at its start.
    [[nodiscard]] bool gives_terminal() const { return given_; }
    // The user has told azlock to stop, and the command got the same signal.
    void told_to_stop() { told_to_stop_ = true; }
    // The command was stopped by this signal. azlock may stop, too; then this returns when it was continued.
    void on_stopped(int signal);
    // The command runs again after a check of the lease.
    void on_thawed() {
        if (resume_after_check_) resume();
    }
    // The command with this end was ended by ^C, which went to it and not to our process group.
    [[nodiscard]] bool was_interrupted(int wait_status) const;

  private:
    void stop_with_command(void (*stop)());
    void resume();
    void resume_command(bool with_terminal);

    os::Guard& guard_;
    SessionLease& lease_;
    Clock& clock_;
    const std::function<void(const std::string&)>& tell_;
    os::Terminal terminal_;
    bool own_streams_;
    bool interruptible_;  // a SIGINT that ends the command comes from ^C
    bool given_;          // the command has had the terminal
    bool told_to_stop_ = false;
    bool resume_after_check_ = false;
};

}  // namespace azlock::ops
