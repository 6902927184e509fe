// The rules of a lock while its command runs: they decide what to do and when. The caller does the work with the
// network, the guard and the clock (session_lease.hpp, and the story tests).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "ops/lease/held_lease.hpp"
#include "ops/lock/renew_tries.hpp"
#include "ops/lock/timing.hpp"

namespace azlock::ops {

// One thing that the caller must do. Actions are carried out in their order.
struct LockAction {
    enum class Kind {
        renew,           // send renew number `number`, at most until `time`; its result goes to on_renewed()
        points,          // tell the guard the TERM and KILL points of `time` (the moment before the renew was sent)
        freeze,          // stop every descendant of the guard; KILL at `time` if the guard gets no new order before
        thaw,            // let them run again, with new points as above
        rewrite_record,  // write the owner record again, write number `number`, at most until `time`; to on_recorded()
        look,            // read the lock's lease state, at most until `time`; it goes to on_looked()
        ask_break,       // break without a period, at most until `time`; the seconds left go to on_break_time()
        end,             // the lock is lost: TERM now, KILL at `time`
        tell             // tell the user `text`
    };
    Kind kind = Kind::tell;
    int number = 0;
    BootTime time{};
    std::string text;
};
using LockActions = std::vector<LockAction>;

class LockRules {
  public:
    // `acquired`: the time just before the acquire was sent. `date`: the service's clock in its answer.
    LockRules(const LockTiming& timing, Random& random, Now acquired, std::optional<WallTime> date);

    // Call it at the time that next() returns. The other functions call it first.
    [[nodiscard]] LockActions on_time(Now now);
    [[nodiscard]] LockActions on_renewed(int number, const RenewAnswer& answer, Now now);
    [[nodiscard]] LockActions on_recorded(int number, const RenewAnswer& answer, Now now);
    // `lease_state` is empty if it could not be read.
    [[nodiscard]] LockActions on_looked(const std::string& lease_state, Now now);
    // `seconds_left`: nullopt if no answer said it. `sent`: the time just before the break was sent.
    [[nodiscard]] LockActions on_break_time(std::optional<int> seconds_left, BootTime sent, Now now);
    // The guard's timer fired too late, and the guard has frozen the command.
    [[nodiscard]] LockActions on_guard_late(Now now);
    // A clock was set, or a stopped job continues: a new renew must prove the lease. `why` is told to the user.
    [[nodiscard]] LockActions check(Now now, const std::string& why);

    [[nodiscard]] BootTime next() const;
    // The time just before the last successful acquire or renew was sent.
    [[nodiscard]] BootTime sent() const { return sent_; }
    [[nodiscard]] BootTime term_at() const { return timing_.term_at(sent_); }
    [[nodiscard]] bool lost() const { return phase_ == Phase::lost; }
    // The command is stopped, and nothing of it may run.
    [[nodiscard]] bool frozen() const { return phase_ != Phase::held && phase_ != Phase::lost; }
    [[nodiscard]] const std::string& why_lost() const { return why_; }

  private:
    enum class Phase {
        held,      // the lease is ours
        checking,  // frozen, until a renew succeeds that was sent after the freeze
        // Frozen; such a renew has succeeded. The lease may have been free for a time, and somebody who saw that may
        // still acquire it without a quarantine if it is broken, as long as the blob has the version that he saw. So
        // nothing runs before the record is written again.
        recording,
        looking,  // frozen; the service refused a renew: azlock looks whether the lease is being broken
        asking,   // frozen; the lease is being broken: azlock asks how much time is left
        lost      // final
    };
    void start_due_try(LockActions& out, BootTime now);
    void plan_renew(BootTime sent);
    void succeeded(LockActions& out, BootTime sent, const RenewAnswer& answer, Now now);
    void failed(LockActions& out, const std::string& what, BootTime now);
    void record(LockActions& out, BootTime now);
    void settled(LockActions& out);
    void refused(LockActions& out, const std::string& text, BootTime now);
    void stop_command(LockActions& out, BootTime now, std::string text);
    void begin_check(LockActions& out, BootTime now, const std::string& why);
    void lose(LockActions& out, const std::string& why, BootTime kill_at);
    // The time by which a renew must have succeeded.
    [[nodiscard]] BootTime renewed_by() const;
    [[nodiscard]] bool clocks_disagree(Now now);

    LockTiming timing_;
    Random& random_;
    Phase phase_ = Phase::held;
    BootTime sent_;
    Now reference_;                 // both clocks when they were last compared
    std::optional<WallTime> date_;  // the service's clock in the last answer
    BootTime date_sent_;            // when that request was sent
    RenewTries tries_;
    BootTime check_until_{};
    BootTime answer_by_{};         // when look, ask_break or rewrite_record must be answered
    std::optional<BootTime> due_;  // what next() said; a later on_time() is late
    int first_proof_ = 0;          // while checking, only renews from this number on count
    int last_record_ = 0;
    int failures_ = 0;  // since the last success
    std::optional<BootTime> told_;
    std::string why_;
};

}  // namespace azlock::ops
