// One run of a command under a lock: acquires the lock, runs the command, releases the lock.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/lock/acquire.hpp"
#include "ops/lock/lease_end.hpp"
#include "ops/lock/outer_lock.hpp"
#include "ops/lock/session.hpp"
#include "ops/lock/wait.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {

struct LockedRunOptions {
    std::string name;  // of the lock, as the user gave it
    LockName blobs;
    LockTiming timing;
    OwnerRecord owner;
    Orphans orphans = Orphans::wait;
    std::optional<std::chrono::milliseconds> run_timeout;
    bool gives_terminal = true;  // see SessionOptions
    bool quarantine = true;      // wait for a former holder that has not said that its command has ended
    bool reentrant = true;       // inside the same lock: run without waiting for it
    std::string command;         // argv[0], for messages
    std::string status_path;     // for AZLOCK_STATUS_FILE; empty: none
    std::string on_lost;         // shell command to run after each loss; empty: none
    std::chrono::milliseconds keeper_patience{2000};  // for one question to the azlock of an outer lock
};

// The current state of a lock and of its command. --status-file shows it to other programs.
struct LockStatus {
    std::string outcome = "waiting";  // waiting held ran busy lost timeout not_started signalled error
    std::string name;
    std::string url;
    std::uint64_t slot = 0;
    std::optional<std::uint64_t> fence;
    std::optional<int> pid;
    std::optional<os::CommandEnd> command_end;
    std::chrono::milliseconds waited{0};
    std::optional<std::chrono::milliseconds> held;
    std::string reason;
};

struct LockedRunEnd {
    enum class Kind {
        ran,          // to its own end
        timed_out,    // after run_timeout
        lost,         // `error` says why
        not_started,  // `error`
        signalled,    // by `session.signal`: before the command started, or while it led in an election
        refused       // the lock was not acquired: `error`
    };
    Kind kind = Kind::refused;
    std::optional<Error> error;
    SessionOutcome session;            // if it began
    bool held = false;                 // the lock was acquired
    std::chrono::milliseconds ran{0};  // how long the command ran
};

// What a run borrows; all of it must outlive the run.
struct LockedRunParts {
    azure::BlobClient& client;  // retries
    azure::BlobClient& single;  // sends each request once
    os::Guard& guard;
    os::SignalSource& signals;
    azure::Call call;                                    // until the command has started
    std::function<void(const std::string&)> tell;        // lines for people; called from several threads
    std::function<void(const LockStatus& status)> note;  // the command was started, or that of on_lost starts
    // A run has ended, with the command of on_lost.
    std::function<void(const LockStatus& status, const LockedRunEnd& end)> ended;
};

class LockedRun {
  public:
    // Error: io.
    [[nodiscard]] static Result<LockedRun> make(LockedRunOptions options, LockedRunParts parts);

    // May be called again after it has returned: each call is a separate run.
    [[nodiscard]] LockedRunEnd run(const WaitPlan& plan);
    // Of the last run; before the first one: that it waits.
    [[nodiscard]] const LockStatus& status() const { return status_; }
    [[nodiscard]] const LockedRunParts& parts() const { return parts_; }

  private:
    LockedRun(LockedRunOptions options, LockedRunParts parts, Keeper keeper);

    [[nodiscard]] LockedRunEnd run_once(const WaitPlan& plan);
    [[nodiscard]] LockedRunEnd run_under_lock(const WaitPlan& plan);
    void run_hook(LockedRunEnd& end);
    [[nodiscard]] Result<std::optional<OuterLock>> outer_lock(const WaitPlan& plan);
    [[nodiscard]] LockedRunEnd run_inside(const OuterLock& outer, const WaitPlan& plan);
    [[nodiscard]] LockedRunEnd outer_is_lost(Error error);
    [[nodiscard]] Status acquire(const WaitPlan& plan);
    [[nodiscard]] Status prepare(HeldLock& held, const azure::Call& call);
    [[nodiscard]] Error in_quarantine(const HeldLock& held) const;
    [[nodiscard]] LeaseEnd leave(const HeldLock& held, const LeaseEndTimes& times);
    void tell_end_of_credential();
    void give_back();
    [[nodiscard]] LockedRunEnd run_command(const HeldLock* held);
    [[nodiscard]] LockedRunEnd end_of(SessionOutcome outcome);
    [[nodiscard]] LockedRunEnd before_start(Error error);
    void release(const HeldLock& held, BootTime lease_end, SessionOutcome& outcome);
    [[nodiscard]] LockStatus waiting() const;
    [[nodiscard]] std::string url_of(const azure::BlobAddress& blob) const;
    [[nodiscard]] std::string status_variable() const;
    [[nodiscard]] BootTime lease_end(BootTime term_at) const;
    [[nodiscard]] Clock& clock() const { return parts_.client.clock(); }

    LockedRunOptions options_;
    LockedRunParts parts_;
    Keeper keeper_;
    Acquirer acquirer_;
    LockStatus status_;
    HeldEntry entry_;
    std::optional<HeldLock> held_;  // what this run must give back, whatever happens
    bool command_may_run_ = false;  // then it must not
    bool lost_at_end_ = false;      // the refused release was the first news of it
};

}  // namespace azlock::ops
