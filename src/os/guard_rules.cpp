#include "os/guard_rules.hpp"

#include <algorithm>

namespace azlock::os {

void GuardRules::started(const EndPoints& points, BootNs kill_after) {
    phase_ = Phase::running;
    points_ = points;
    kill_after_ = kill_after;
}

void GuardRules::new_points(const EndPoints& points) {
    // While frozen, new points do not prove that the lease held during the sleep. Only thaw() proves it.
    if (phase_ == Phase::running) points_ = points;
}

GuardSteps GuardRules::freeze(BootNs until) {
    GuardSteps steps;
    if (phase_ != Phase::running && phase_ != Phase::frozen) return steps;
    steps.freeze = phase_ == Phase::running;
    phase_ = Phase::frozen;
    verdict_by_ = until;
    return steps;
}

GuardSteps GuardRules::thaw(const EndPoints& points) {
    GuardSteps steps;
    if (phase_ != Phase::frozen) return steps;
    phase_ = Phase::running;
    points_ = points;
    verdict_by_ = kNeverNs;
    steps.thaw = true;
    return steps;
}

GuardSteps GuardRules::end(BootNs now, BootNs kill_at) {
    if (phase_ == Phase::idle || phase_ == Phase::killing) return {};
    if (phase_ == Phase::ending) {
        kill_at_ = std::min(kill_at_, kill_at);
        return timer(now);
    }
    return start_ending(now, std::min(kill_at, points_.kill));
}

GuardSteps GuardRules::azlock_gone(BootNs now) {
    if (phase_ == Phase::frozen) return start_killing();  // nobody can say any more whether the lease holds
    if (phase_ != Phase::running) return timer(now);
    const BootNs graceful = kill_after_ > kNeverNs - now ? kNeverNs : now + kill_after_;
    return start_ending(now, std::min(graceful, points_.kill));
}

GuardSteps GuardRules::timer(BootNs now) {
    switch (phase_) {
        case Phase::idle:
        case Phase::killing: return {};
        case Phase::ending: return now >= kill_at_ ? start_killing() : GuardSteps{};
        case Phase::frozen: return now >= verdict_by_ ? start_killing() : GuardSteps{};
        case Phase::running: break;
    }
    if (now < points_.term) return {};
    if (now - points_.term <= kLate) return start_ending(now, points_.kill);
    phase_ = Phase::frozen;
    verdict_by_ = now + kVerdict;
    GuardSteps steps;
    steps.freeze = true;
    steps.late = true;
    return steps;
}

BootNs GuardRules::next() const {
    switch (phase_) {
        case Phase::running: return points_.term;
        case Phase::frozen: return verdict_by_;
        case Phase::ending: return kill_at_;
        case Phase::idle:
        case Phase::killing: break;
    }
    return kNeverNs;
}

GuardSteps GuardRules::start_killing() {
    phase_ = Phase::killing;
    GuardSteps steps;
    steps.kill = true;
    return steps;
}

GuardSteps GuardRules::start_ending(BootNs now, BootNs kill_at) {
    if (now >= kill_at) return start_killing();
    GuardSteps steps;
    steps.term = true;
    steps.thaw = phase_ == Phase::frozen;
    phase_ = Phase::ending;
    kill_at_ = kill_at;
    return steps;
}

}  // namespace azlock::os
