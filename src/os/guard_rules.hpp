// Decides when the guard stops, continues and ends the command. Pure: no process and no clock.
#pragma once

#include <cstdint>

namespace azlock::os {

// Nanoseconds on CLOCK_BOOTTIME.
using BootNs = std::int64_t;
inline constexpr BootNs kNeverNs = INT64_MAX;

// TERM is sent at `term`, KILL at `kill`, unless newer points come first.
struct EndPoints {
    BootNs term = kNeverNs;
    BootNs kill = kNeverNs;
};

// What the guard must do now, in this order.
struct GuardSteps {
    bool freeze = false;  // stop every descendant
    bool late = false;    // tell azlock that we woke too late: the lease may have ended
    bool term = false;    // TERM (and CONT) to the command's group
    bool thaw = false;    // continue what was frozen
    bool kill = false;    // KILL every descendant, again and again until none is left
};

class GuardRules {
  public:
    // If a timer fires later than this, the machine was suspended or we were stopped.
    static constexpr BootNs kLate = 1'000'000'000;
    // How long a frozen command waits for the answer of azlock if we froze it ourselves.
    static constexpr BootNs kVerdict = 20'000'000'000;

    enum class Phase {
        idle,     // no command yet
        running,  //
        frozen,   // stopped until azlock says whether the lease still holds
        ending,   // TERM was sent; KILL follows. There is no way back
        killing   //
    };

    [[nodiscard]] Phase phase() const { return phase_; }

    // Events. Handle all arrived messages before timer(): they may contain newer points.
    void started(const EndPoints& points, BootNs kill_after);
    void new_points(const EndPoints& points);
    [[nodiscard]] GuardSteps freeze(BootNs until);
    [[nodiscard]] GuardSteps thaw(const EndPoints& points);
    // TERM now, KILL at `kill_at` or at the KILL point, whichever is first.
    [[nodiscard]] GuardSteps end(BootNs now, BootNs kill_at);
    [[nodiscard]] GuardSteps azlock_gone(BootNs now);
    [[nodiscard]] GuardSteps timer(BootNs now);

    // When to call timer() next if nothing else happens; kNeverNs: never.
    [[nodiscard]] BootNs next() const;

  private:
    GuardSteps start_killing();
    GuardSteps start_ending(BootNs now, BootNs kill_at);

    Phase phase_ = Phase::idle;
    EndPoints points_;
    BootNs kill_after_ = 0;
    BootNs kill_at_ = kNeverNs;     // in `ending`
    BootNs verdict_by_ = kNeverNs;  // in `frozen`
};

}  // namespace azlock::os
