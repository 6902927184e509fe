#include "ops/lock/job_control.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "base/quantity.hpp"

namespace azlock::ops {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

JobControl::JobControl(os::Guard& guard, SessionLease& lease, Clock& clock, const os::Streams& streams,
                       bool gives_terminal, const std::function<void(const std::string&)>& tell)
    : guard_(guard),
      lease_(lease),
      clock_(clock),
      tell_(tell),
      own_streams_(std::any_of(streams.fds.begin(), streams.fds.end(), [](int fd) { return fd >= 0; })),
      interruptible_(!own_streams_ && terminal_.to_be_given()),
      given_(interruptible_ && gives_terminal) {}

void JobControl::on_stopped(int signal) {
    const bool asks = signal == SIGTTIN || signal == SIGTTOU;
    const bool told = std::exchange(told_to_stop_, false);
    if ((signal != SIGTSTP && !asks) || own_streams_) return;
    if (!terminal_.exists()) {
        if (told) stop_with_command([] { kill(getpid(), SIGSTOP); });
        return;
    }
    if (asks && terminal_.ours()) {
        given_ = true;
        interruptible_ = true;
        return resume_command(true);
    }
    if (!os::Terminal::job_can_stop()) return resume_command(terminal_.ours());
    stop_with_command(&os::Terminal::stop_job);
}

// Returns when azlock was continued.
void JobControl::stop_with_command(void (*stop)()) {
    if (lease_.kept()) {
        const auto left = std::max(lease_.term_at() - clock_.now(), nanoseconds(0));
        tell_("stopped: the lease is not renewed; the command is ended in " +
              format_duration(std::chrono::floor<milliseconds>(left)) + " unless you continue it before then");
    }
    stop();
    resume_after_check_ = true;
    if (!lease_.check("the job was stopped")) resume();
}

void JobControl::resume() {
    resume_after_check_ = false;
    resume_command(given_ && terminal_.ours());
}

void JobControl::resume_command(bool with_terminal) {
    send_order(guard_, os::Order::Kind::resume, {}, with_terminal ? 1 : 0);
}

bool JobControl::was_interrupted(int wait_status) const {
    return interruptible_ && terminal_.ours() && WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGINT;
}

}  // namespace azlock::ops
