// Takes a lease: waiting for it, making what is to be leased, and saying who holds it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {

inline constexpr int kInfiniteLease = -1;

struct AcquireOptions {
    int duration = 60;                 // seconds, or kInfiniteLease
    std::string proposed_id;           // canonical; empty: a new one
    std::chrono::nanoseconds wait{0};  // go on trying for so long while somebody else holds it
    bool create = false;               // make the blob (empty), or the container, where it is missing
    // To be written; `since` and `ttl` are filled in. Without one a former holder's record is removed, unless the id
    // was given: then it may be our own.
    std::optional<OwnerRecord> record;
    // Is told who holds it: before the first wait, and whenever that changes.
    std::function<void(const LeaseView&)> waiting;
};

struct AcquiredLease {
    std::string lease_id;
    std::string etag;
    bool created = false;
};

// One id is proposed in every attempt, so an answer that was lost locks nobody out. Where it gives up, an id that was
// made here is released again; one that was given may be held (may_have_applied). An infinite lease is taken as a
// finite one first and made infinite last, so that what stops half way ends by itself.
[[nodiscard]] Result<AcquiredLease> acquire_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                                  const AcquireOptions& options, const azure::Call& call);

}  // namespace azlock::ops
