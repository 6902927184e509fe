// The guard: a small single-threaded process beside azlock that owns the command and ends it in time, whatever becomes
// of azlock.
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

// azlock's end of it. Without an order to start, the guard waits, and it goes away when this object does or azlock
// dies.
class Guard {
  public:
    // Forks. Call it before any thread exists and before signals are blocked: the command gets the mask and the
    // dispositions that the process has now. From here on the calling process is a subreaper, too.
    [[nodiscard]] static Result<Guard> fork_one(std::vector<std::string> argv);
    // Several, which know nothing of each other: each runs the command once at a time.
    [[nodiscard]] static Result<std::vector<Guard>> fork_many(const std::vector<std::string>& argv, std::size_t count);

    // Starts the command; again after the last one is gone. `foreground`: it gets the terminal. `streams` stay the
    // caller's.
    [[nodiscard]] Status start(const EndPoints& points, BootNs kill_after, bool foreground,
                               const std::vector<std::string>& environment_changes, const Streams& streams = {});
    // False where the guard is gone, or is stopped and its socket full.
    bool order(const Order& order);
    // A report that has arrived; nullopt: none. Sets gone() when the guard has gone away.
    [[nodiscard]] std::optional<Report> report();

    [[nodiscard]] bool gone() const { return gone_; }
    // Readable when there is something to report, or the guard is gone.
    [[nodiscard]] int fd() const { return socket_.get(); }
    [[nodiscard]] pid_t pid() const { return pid_; }
    // Lets it go. A command that still runs is ended by it, unless the order was to leave; that is not waited for.
    void dismiss();
    // Kills it and everything that it started, then reaps: for a guard that does not do its work. True if nothing is
    // left.
    [[nodiscard]] bool end_by_force();

  private:
    Guard(Fd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
    static Result<Guard> fork_beside(const std::vector<std::string>& argv, std::vector<Guard>& others);

    Fd socket_;
    pid_t pid_ = -1;
    bool gone_ = false;
    bool busy_ = false;  // a command was started and is not reported gone
};

}  // namespace azlock::os
