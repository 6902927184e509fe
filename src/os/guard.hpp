// The guard: a small single-threaded process that runs the command and ends it in time, even if azlock dies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/file.hpp"
#include "base/result.hpp"
#include "os/guard_protocol.hpp"
#include "os/launch.hpp"

namespace azlock::os {

// How end_by_force() ended the command.
struct ForcedEnd {
    bool nothing_left = false;       // no descendant is left
    std::optional<int> wait_status;  // the command's, if no report has told it
};

// azlock's side of the guard. The guard waits until it gets an order to start. It exits when this object is destroyed
// or azlock dies; first it ends a command that still runs.
class Guard {
  public:
    // Forks guards that are independent of each other. Each runs one copy of the command at a time. Call it before any
    // thread exists and before signals are blocked: the command gets the signal mask and dispositions that the process
    // has now. Also makes the calling process a subreaper. `words`: what a guard says on stderr. Errors: io
    // (a limit of the system), config (this process could not find what the command starts: process_view.hpp).
    [[nodiscard]] static Result<std::vector<Guard>> fork_many(const std::vector<std::string>& argv, std::size_t count,
                                                              const GuardWords& words = {});

    // The other end of `socket` speaks for a guard, which is no process of its own: for tests.
    [[nodiscard]] static Guard played(Fd socket) { return {std::move(socket), -1, {}, {}}; }

    // Starts the command. Can be called again after that command is gone. `foreground`: the command gets the terminal.
    // The caller keeps `streams`.
    [[nodiscard]] Status start(const EndPoints& points, BootNs kill_after, bool foreground,
                               const std::vector<std::string>& environment_changes, const Streams& streams = {});
    // Continues a guard that was stopped (SIGSTOP). False if the guard is gone, or its socket is full.
    bool order(const Order& order);
    // Continues a guard that was stopped. True: it was.
    bool rouse();
    // The next report that has arrived; nullopt: none. Sets gone() if the guard has exited.
    [[nodiscard]] std::optional<Report> report();

    [[nodiscard]] bool gone() const { return gone_; }
    // Readable if there is a report or the guard is gone.
    [[nodiscard]] int fd() const { return socket_.get(); }
    [[nodiscard]] pid_t pid() const { return pid_; }
    // Gives up the guard. It ends a command that still runs, unless its order was to leave. This call does not wait for
    // that.
    void dismiss();
    // Kills the guard and all other descendants of this process, then reaps them: for a guard that does not do its
    // work. Spares what was there before the guards.
    [[nodiscard]] ForcedEnd end_by_force();

  private:
    Guard(Fd socket, pid_t pid, std::string cgroup, std::vector<pid_t> strangers)
        : socket_(std::move(socket)), pid_(pid), cgroup_(std::move(cgroup)), strangers_(std::move(strangers)) {}
    static Result<Guard> fork_beside(const std::vector<std::string>& argv, const GuardWords& words,
                                     const std::vector<pid_t>& strangers, std::vector<Guard>& others);

    Fd socket_;
    pid_t pid_ = -1;
    pid_t command_ = -1;            // as long as no report tells its end
    std::string cgroup_;            // see CommandCgroup::find()
    std::vector<pid_t> strangers_;  // children that this process had before: jobs of a shell that became azlock
    bool gone_ = false;
    bool busy_ = false;  // a command was started and is not reported gone
};

}  // namespace azlock::os
