// When the guard stops, continues and ends the command: the decisions alone, without a process or a clock.
#pragma once

#include <cstdint>
#include <optional>

namespace azlock::os {

// Nanoseconds on CLOCK_BOOTTIME.
using BootNs = std::int64_t;
inline constexpr BootNs kNeverNs = INT64_MAX;

// TERM is sent at `term`, KILL at `kill`, unless newer points come first.
struct EndPoints {
    BootNs term = kNeverNs;
    BootNs kill = kNeverNs;
};

// What is to be done now, in this order.
struct GuardSteps {
    bool freeze = false;  // stop every descendant
    bool late = false;    // tell azlock that we woke too late to say that the lease still held
    bool term = false;    // TERM (and CONT) to the command's group
    bool thaw = false;    // continue what was frozen
    bool kill = false;    // KILL for every descendant, again and again until none is left
};

class GuardRules {
  public:
    // A timer that fires later than this was not punctual: the machine slept, or we were stopped.
    static constexpr BootNs kLate = 1'000'000'000;
    // How long a frozen command waits for azlock's verdict when we froze it ourselves.
    static constexpr BootNs kVerdict = 20'000'000'000;

    enum class Phase {
        idle,     // no command yet
        running,  //
        frozen,   // stopped until azlock says whether the lease still holds
        ending,   // TERM was sent; KILL follows. There is no way back
        killing   //
    };

    [[nodiscard]] Phase phase() const { return phase_; }

    // Events. Messages that have arrived are to be handled before timer(): they may hold newer points.
    void started(const EndPoints& points, BootNs kill_after);
    void new_points(const EndPoints& points);
    [[nodiscard]] GuardSteps freeze(BootNs until);
    [[nodiscard]] GuardSteps thaw(const EndPoints& points);
    // TERM now, KILL at `kill_at` or at the KILL point, whichever is first.
    [[nodiscard]] GuardSteps end(BootNs now, BootNs kill_at);
    [[nodiscard]] GuardSteps azlock_gone(BootNs now);
    [[nodiscard]] GuardSteps timer(BootNs now);

    // When timer() is to be called next, if nothing else happens; kNeverNs: not at all.
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
