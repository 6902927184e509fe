// Sees who leads: each change of the holder of an election's lock.
#pragma once

#include <functional>
#include <optional>

#include "azure/client.hpp"
#include "ops/lease/owner_record.hpp"

namespace azlock::ops {

// The record of the leader; nullopt: there is no leader.
using Leader = std::optional<OwnerRecord>;

struct LeaderVisitor {
    // A change, and the service's time if it is known, else ours. An error ends the watch.
    std::function<Status(const Leader& leader, WallTime seen)> changed;
    // The leader cannot be seen at present; told once until it can be seen again.
    std::function<void(const Error& error)> blind;
};

// Looks every second until it is stopped or cannot continue. The result is never a success. Errors: cancelled;
// unavailable, if the deadline passed or a look failed for good; those of make_lock_name() for the election `name` at
// `address`, of the requests, and of `changed`.
[[nodiscard]] Status watch_leader(azure::BlobClient& client, const std::string& name, const azure::BlobAddress& address,
                                  const LeaderVisitor& visitor, const azure::Call& call);

}  // namespace azlock::ops
