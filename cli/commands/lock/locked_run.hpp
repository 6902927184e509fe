// One turn with a lock: get it, run the command under it, give it back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/lock/held_locks.hpp"
#include "cli/commands/lock/lock_options.hpp"
#include "cli/commands/lock/lock_status.hpp"
#include "cli/program/context.hpp"
#include "ops/lock/acquire.hpp"
#include "ops/lock/wait.hpp"

namespace azlock::cli {

class LockRound {
  public:
    // Reads the settings and opens the lock's blob. Errors: usage, config, io.
    [[nodiscard]] static Result<LockRound> open(const LockOptions& options, Context& context);

    // How it ended. `code` is azlock's exit code where the command was started, or is to be reported by a code of its
    // own (122, 124 to 127); `error` says what to tell.
    struct End {
        std::optional<int> code;
        std::optional<Error> error;
        bool held = false;  // the lock was ours
        bool lost = false;
        std::chrono::milliseconds ran{0};  // for how long the command did
        // These two: see ops::SessionOutcome.
        bool interrupted = false;
        bool nothing_left = true;
    };
    [[nodiscard]] End run(const ops::WaitPlan& plan);

    [[nodiscard]] const ops::LockName& name() const { return name_; }
    [[nodiscard]] azure::BlobClient& client() { return many_.client(); }

  private:
    LockRound(const LockOptions& options, Context& context, Opened many, Opened single, ops::LockName name,
              const ops::LockTiming& timing, ops::OwnerRecord owner, StatusFile status);

    [[nodiscard]] std::optional<HeldEntry> outer_lock() const;
    [[nodiscard]] End run_inside(const HeldEntry& outer);
    [[nodiscard]] Result<ops::HeldLock> acquire(const ops::WaitPlan& plan);
    [[nodiscard]] Status prepare(ops::HeldLock& held);
    [[nodiscard]] End run_command(const ops::HeldLock* held, const HeldEntry& entry);
    [[nodiscard]] End end_of(const ops::SessionOutcome& outcome);
    [[nodiscard]] End before_start(Error error);
    void release(const ops::HeldLock& held, const ops::SessionOutcome& outcome);
    void after_loss(const HeldEntry& lock);
    [[nodiscard]] std::string url_of(const azure::BlobAddress& blob) const;
    void note();

    const LockOptions* options_;
    Context* context_;
    Opened many_;
    Opened single_;
    ops::LockName name_;
    ops::LockTiming timing_;
    ops::OwnerRecord owner_;
    StatusFile status_file_;
    LockStatus status_;
    BootTime begun_;
};

}  // namespace azlock::cli
