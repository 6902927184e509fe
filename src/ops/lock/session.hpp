// A command under a lock: the keeper's decisions carried out with the guard, the network and the signals.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ops/lock/acquire.hpp"
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
    os::Streams streams;            // with any of them the command is not given the terminal
    std::string kept = "the lock";  // what the lease is, for people
    // The command has the terminal from the start where we had it, and ^C is the command's alone. Else it gets it when
    // it asks; until then ^C is a signal to us, that the command gets from us.
    bool gives_terminal = true;
    std::function<void(const std::string&)> tell;         // may block; called on a thread of its own
    std::function<void(std::stop_token)> rewrite_record;  // on some thread
    // The TERM point moved, or the command was started.
    std::function<void(BootTime term_at)> on_term_point;
    std::function<void(pid_t)> on_started;
};

struct SessionOutcome {
    enum class Kind {
        ran,          // to its own end
        not_started,  // `signal` came before; or `error`; `at_exec`: the command itself cannot be executed
        lost,         // `why`
        timed_out     // --run-timeout
    };
    Kind kind = Kind::ran;
    bool started = false;
    std::optional<int> wait_status;  // how the command ended, where it did
    int signal = 0;
    int error = 0;
    bool at_exec = false;
    std::string why;
    bool interrupted = false;  // by a ^C that the command got in place of our process group
    bool nothing_left = true;  // false: processes remain that may not be signalled by us
};

// Starts the command in the guard and returns when nothing of it is left (or, with Orphans::leave, when it has ended).
// `held` null: there is no lease to keep (a nested use of a lock that is held already). `single` sends once.
[[nodiscard]] SessionOutcome run_session(os::Guard& guard, os::SignalSource& signals, azure::BlobClient& single,
                                         const HeldLock* held, const SessionOptions& options);

}  // namespace azlock::ops
