// Breaks somebody else's lease: gives the holder the time that its record asks for, and breaks only the intended lease.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "azure/client.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {

// What the holder's record must say. A lease whose record lacks one of these fields does not match.
struct BreakConditions {
    // Field names of owner_field() and their values. The records of other tools have only `owner` and `tool`.
    std::vector<std::pair<std::string, std::string>> owner;
    std::optional<std::uint64_t> fence;
    std::optional<std::chrono::milliseconds> older_than;

    [[nodiscard]] bool any() const { return !owner.empty() || fence || older_than; }
};
// Why the lease does not match, for people; nullopt if it matches.
[[nodiscard]] std::optional<std::string> mismatch(const LeaseView& view, const BreakConditions& conditions);

// The break period in seconds in which the holder can notice the break and end its command in good order:
// 1.2 x renew_every + 5 s + kill_after + margin, at most 60 s (docs/lock.md). nullopt if the record has no renew_every:
// then the service's default is right (a finite lease runs to its end, an infinite one ends at once).
[[nodiscard]] std::optional<int> polite_period(const OwnerRecord& record);

struct BreakOptions {
    std::optional<int> period;  // seconds, 0..60; nullopt: polite_period()
    BreakConditions conditions;
    bool holder_is_dead = false;  // break at once, and mark the record so that nobody waits for its holder
    bool must_be_leased = false;  // do not touch an expired or broken lease: nobody holds it
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
    LeaseView before;           // its lease state is empty if the look failed
    std::optional<int> period;  // the break period that was sent, in seconds
    int seconds_left = 0;
    std::string why;  // no_match
    // Set with holder_is_dead. True: nobody will wait for that holder. False: somebody else has taken the blob
    // meanwhile.
    std::optional<bool> dead_mark;
    // With holder_is_dead and conditions: the record also keeps the times of an earlier holder, which the conditions do
    // not mean. The next lock still waits for that one.
    bool waits_for_earlier = false;
};

// With a condition or `holder_is_dead`, the break applies only to the version of the blob whose record was read. So it
// never ends the lease of a later holder that has written its record. A container has no ETag conditions; the time of
// its last change (whole seconds) is used instead.
[[nodiscard]] Result<BreakReport> break_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                              const BreakOptions& options, const azure::Call& call);

// Waits until a lease that is being broken has ended. Returns its state after that.
[[nodiscard]] Result<LeaseView> wait_until_free(azure::BlobClient& client, const azure::BlobAddress& target,
                                                int seconds_left, const azure::Call& call);

}  // namespace azlock::ops
