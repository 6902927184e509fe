// A session: runs a command under a lock, until none of its processes is left.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "ops/lease/held_lease.hpp"
#include "ops/lock/keeper.hpp"
#include "ops/lock/lock_rules.hpp"
#include "os/guard.hpp"
#include "os/signals.hpp"

namespace azlock::ops {

enum class Orphans { wait, kill, leave };

struct SessionOptions {
    LockTiming timing;
    Orphans orphans = Orphans::wait;
    std::optional<std::chrono::milliseconds> run_timeout;
    std::vector<std::string> environment_changes;
    os::Streams streams;             // if one of them is set, the command does not get the terminal
    const Keeper* keeper = nullptr;  // says to the command's processes whether the lease is held
    std::string kept = "the lock";   // what the lease protects, in messages
    // True: if azlock has the terminal, the command gets it at the start, and ^C goes only to the command. False: the
    // command gets the terminal when it asks for it. Until then ^C goes to azlock, which passes the signal on.
    bool gives_terminal = true;
    std::function<void(const std::string&)> tell;  // may block; may be called on two threads at once
    // Writes the owner record again, so that the blob has another version; called on another thread.
    std::function<Status(const azure::Call&)> rewrite_record;
    // Called when the TERM point moves and when the command is started.
    std::function<void(BootTime term_at)> on_term_point;
    std::function<void(pid_t)> on_started;
};

struct SessionOutcome {
    enum class Kind {
        ran,          // the command ran to its end
        not_started,  // `signal` came first, or see `why` and `error` (errno); `at_exec`: it cannot be executed
        lost,         // the lease or the guard was lost, see `why`
        timed_out     // --run-timeout has passed
    };
    Kind kind = Kind::ran;
    std::optional<int> wait_status;  // the command's, as from waitpid(); set if it `ran`
    int signal = 0;
    int error = 0;
    bool at_exec = false;
    std::string why;
    bool interrupted = false;  // by ^C, which went to the command and not to our process group
    bool nothing_left = true;  // false: processes remain that azlock may not signal
};

// Starts the command in the guard. Returns when none of its processes is left (Orphans::leave: when the command itself
// has ended). `held` is null if there is no lease to keep (a nested use of a lock that is held already). `single` sends
// each request once.
[[nodiscard]] SessionOutcome run_session(os::Guard& guard, os::SignalSource& signals, azure::BlobClient& single,
                                         const HeldLease* held, const SessionOptions& options);

}  // namespace azlock::ops
