// Takes a lease: waits for it, says who holds it, and creates a missing blob or container if it is asked to.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {

inline constexpr int kInfiniteLease = -1;

struct AcquireOptions {
    int duration = 60;                  // seconds, or kInfiniteLease
    std::string proposed_id;            // canonical; empty: a new one
    std::chrono::milliseconds wait{0};  // how long to try while somebody else holds it
    bool create = false;                // create an empty blob, or the container, if it is missing
    // The record to write; `since` and `ttl` are filled in. nullopt: the former holder's record is removed, unless
    // `proposed_id` is given, because then the record may be our own.
    std::optional<OwnerRecord> record;
    // Called before the first wait and whenever the holder changes.
    std::function<void(const LeaseView&)> waiting;
};

struct AcquiredLease {
    std::string lease_id;
    int duration = 0;  // seconds, or kInfiniteLease
    std::string etag;
    bool created = false;
};

// Proposes the same lease id in every attempt, so a lost answer locks nobody out. If it gives up, it releases an id
// that it made itself; an id that the caller gave may be held (may_have_applied). An infinite lease starts as a finite
// one and becomes infinite last, so that a lease that is taken only half way ends by itself.
[[nodiscard]] Result<AcquiredLease> acquire_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                                  const AcquireOptions& options, const azure::Call& call);

}  // namespace azlock::ops
