// Ends somebody else's lease: politely where the holder's record tells how, and only the lease that was meant.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "azure/client.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {

// What the holder's record must say. A lease without the record that is asked for does not match.
struct BreakConditions {
    // Words of owner_field() and their values; of other tools' records `owner` and `tool`.
    std::vector<std::pair<std::string, std::string>> owner;
    std::optional<std::uint64_t> fence;
    std::optional<std::chrono::milliseconds> older_than;

    [[nodiscard]] bool any() const { return !owner.empty() || fence || older_than; }
};
// Why the lease does not match, for people; nullopt where it does.
[[nodiscard]] std::optional<std::string> mismatch(const LeaseView& view, const BreakConditions& conditions);

// How long the holder needs to notice the break and to end its command in good order: 1.2 x renew_every + 5 s +
// kill_after + margin, at most 60 s (design 6.2). nullopt where its record does not tell: the service's default is
// right then (what a finite lease has left; at once for an infinite one).
[[nodiscard]] std::optional<int> polite_period(const OwnerRecord& record);

struct BreakOptions {
    std::optional<int> period;  // seconds, 0..60; nullopt: polite_period()
    BreakConditions conditions;
    bool holder_is_dead = false;  // break at once, and mark the record so that nobody waits for its holder
    bool must_be_leased = false;  // leave alone what is expired or broken: nobody holds it
    bool dry_run = false;
};

struct BreakReport {
    enum class Outcome {
        broken,       // it is over, or will be in seconds_left
        not_leased,   // nobody has it
        no_match,     // the conditions do not hold: nothing was done
        would_break,  // --dry-run
    };
    Outcome outcome = Outcome::broken;
    LeaseView before;           // without a state where it could not be looked at
    std::optional<int> period;  // that was asked for
    int seconds_left = 0;
    std::string why;  // no_match
    // With holder_is_dead: nobody will wait for that holder. False: somebody else has taken the blob meanwhile.
    std::optional<bool> dead_mark;
};

// With a condition or `holder_is_dead` the break is bound to the version of the blob whose record was read, so it
// never ends the lease of a later holder that has written its record. A container has no ETag conditions: there the
// time of its last change (whole seconds) takes their place.
[[nodiscard]] Result<BreakReport> break_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                              const BreakOptions& options, const azure::Call& call);

// Waits until a lease that is being broken is over, and says how it stands then.
[[nodiscard]] Result<LeaseView> wait_until_free(azure::BlobClient& client, const azure::BlobAddress& target,
                                                int seconds_left, const azure::Call& call);

}  // namespace azlock::ops
