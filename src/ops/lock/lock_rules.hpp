// Keeping a lease while a command runs: what to do when. Decisions alone; the network, the guard and the clock are the
// caller's (lock_session.hpp, and the story tests).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "ops/lock/timing.hpp"

namespace azlock::ops {

// Both clocks at one moment.
struct Now {
    BootTime boot;
    WallTime wall;
};
[[nodiscard]] inline Now now_on(const Clock& clock) {
    return {clock.now(), clock.wall()};
}

// What a renew came to.
struct RenewAnswer {
    enum class Kind {
        held,       // 200 and our id
        transient,  // says nothing about the lease
        definitive  // the service says that we do not hold it
    };
    Kind kind = Kind::transient;
    std::string text;              // for people
    std::optional<WallTime> date;  // the service's clock
};
[[nodiscard]] RenewAnswer read_renew(const Result<azure::LeaseResult>& result, const std::string& lease_id);

// One thing for the caller to do. In order.
struct KeeperAction {
    enum class Kind {
        renew,           // send renew number `number`, bounded by `time`; its end goes to on_renewed()
        points,          // tell the guard the TERM and KILL points of `time` (the moment before the renew was sent)
        freeze,          // stop every descendant of the guard; KILL at `time` if nothing else is said before
        thaw,            // continue them, with new points as above
        rewrite_record,  // write the owner record again; its failure is of no consequence
        look,            // read the lock's lease state until `time`; goes to on_looked()
        ask_break,       // break without a period, until `time`: how much is left? goes to on_break_time()
        end,             // TERM now, KILL at `time`. The lock is lost
        tell             // `text`, to people
    };
    Kind kind = Kind::tell;
    int number = 0;
    BootTime time{};
    std::string text;
};
using KeeperActions = std::vector<KeeperAction>;

class Keeper {
  public:
    // `acquired` is the time before the acquire was sent; `date` the service's clock in its answer.
    Keeper(const LockTiming& timing, Random& random, Now acquired, std::optional<WallTime> date);

    // To be called when next() has come, and before every other event.
    [[nodiscard]] KeeperActions on_time(Now now);
    [[nodiscard]] KeeperActions on_renewed(int number, const RenewAnswer& answer, Now now);
    // Empty: it could not be read.
    [[nodiscard]] KeeperActions on_looked(const std::string& lease_state, Now now);
    // `sent`: before the break was sent.
    [[nodiscard]] KeeperActions on_break_time(std::optional<int> seconds_left, BootTime sent, Now now);
    // The guard's timer fired too late, and it has frozen the command.
    [[nodiscard]] KeeperActions on_guard_late(Now now);
    // A clock was set, or the job continues after it had been stopped: the lease must prove itself. `why` is told.
    [[nodiscard]] KeeperActions check(Now now, const std::string& why);

    [[nodiscard]] BootTime next() const;
    // Before the last acquire or renew that succeeded was sent.
    [[nodiscard]] BootTime sent() const { return sent_; }
    [[nodiscard]] BootTime term_at() const { return timing_.term_at(sent_); }
    [[nodiscard]] bool lost() const { return phase_ == Phase::lost; }
    [[nodiscard]] bool checking() const { return phase_ == Phase::checking; }
    [[nodiscard]] const std::string& why_lost() const { return why_; }
    // The service said that we do not hold the lease: there is nothing to release.
    [[nodiscard]] bool gone() const { return definitive_; }

  private:
    enum class Phase {
        held,      //
        checking,  // frozen until a renew that was sent after the freezing succeeds
        looking,   // frozen; refused for good: is it being broken?
        asking,    // frozen; it is: how much is left?
        lost       // irrevocably
    };
    struct Try {
        int number = 0;
        BootTime sent;
        BootTime until;
        bool hedged = false;
        bool over = false;  // waited for no longer; its answer may still tell something
    };

    void start_due_tries(KeeperActions& out, BootTime now);
    void start_try(KeeperActions& out, BootTime now);
    void plan_renew(BootTime sent);
    void succeeded(KeeperActions& out, const Try& done, const RenewAnswer& answer, Now now);
    void failed(KeeperActions& out, const std::string& text, BootTime now);
    void refused(KeeperActions& out, const std::string& text, BootTime now);
    void begin_check(KeeperActions& out, BootTime now, const std::string& why);
    void lose(KeeperActions& out, const std::string& why, BootTime kill_at);
    [[nodiscard]] bool clocks_disagree(Now now);

    LockTiming timing_;
    Random& random_;
    Phase phase_ = Phase::held;
    BootTime sent_;
    Now reference_;                 // both clocks when they were last compared
    std::optional<WallTime> date_;  // the service's at the last answer, and when it came and was asked for
    BootTime date_sent_;
    BootTime renew_at_;  // when the next try is due
    BootTime check_until_{};
    BootTime answer_by_{};         // of look and break
    std::optional<BootTime> due_;  // what next() said; later than that is late
    int last_try_ = 0;
    int first_proof_ = 0;     // while checking only tries from this one on count
    std::vector<Try> tries_;  // under way
    int failures_ = 0;        // since the last success
    std::optional<BootTime> told_;
    bool definitive_ = false;
    std::string why_;
};

}  // namespace azlock::ops
