// The renews of a lease that are under way: when the next one is due, a second one beside one that is slow, and whose
// answer still counts.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace azlock::ops {

class RenewTries {
  public:
    struct Try {
        int number = 0;
        BootTime sent;
        BootTime until;  // it gets no more time
        bool hedged = false;
        bool over = false;  // nobody waits for it any more; its answer may still count
    };

    explicit RenewTries(std::chrono::nanoseconds ttl) : ttl_(ttl) {}

    // The next one is due then, unless one is under way.
    void plan(BootTime when) { due_ = when; }
    // The one to send now, if one is due. `limit`: when the lease must be renewed.
    [[nodiscard]] std::optional<Try> start_due(BootTime now, BootTime limit);
    // Its answer has come. nullopt: it counts no more.
    [[nodiscard]] std::optional<Try> answered(int number);
    void wait_for_none();

    [[nodiscard]] bool any_under_way() const;
    [[nodiscard]] int last() const { return last_; }
    // When start_due() has something to do.
    [[nodiscard]] BootTime next() const;

  private:
    [[nodiscard]] Try start(BootTime now, BootTime limit);

    std::chrono::nanoseconds ttl_;
    BootTime due_{};
    int last_ = 0;
    std::vector<Try> tries_;
};

}  // namespace azlock::ops
