// The state of the lease of a blob or container, and its holder.
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/lease/foreign_record.hpp"
#include "ops/lease/owner_record.hpp"

namespace azlock::ops {

struct LeaseView {
    azure::LeaseInfo lease;
    std::string etag;
    std::string last_modified;
    azure::Metadata metadata;
    std::optional<WallTime> now;  // the service's clock; ours for a container, or if the answer has no date
    OwnerRecord owner;
    std::optional<ForeignRecord> foreign;

    // Somebody holds it: leased or breaking.
    [[nodiscard]] bool is_locked() const { return lease.state == "leased" || lease.state == "breaking"; }
    // Since when the holder has the lease; nullopt if no record says it.
    [[nodiscard]] std::optional<WallTime> since() const;
    [[nodiscard]] std::optional<std::chrono::milliseconds> held_for() const;
    [[nodiscard]] bool has_record() const { return foreign || !owner.empty(); }
    // The holder according to its record: "deploy@ci-7 pid 4121 for 12 min"; "somebody who left no record".
    [[nodiscard]] std::string holder() const;
    // The lease id if a record tells it, so that a release can end the lease; else empty, and only a break can.
    [[nodiscard]] std::string known_id() const;
};

[[nodiscard]] LeaseView make_lease_view(const azure::LeaseInfo& lease, const std::string& etag,
                                        const std::string& last_modified, const azure::Metadata& metadata,
                                        std::optional<WallTime> now);

// HEAD of the blob, or of the container if the address names no blob.
[[nodiscard]] Result<LeaseView> look_at_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                              const azure::Call& call);

}  // namespace azlock::ops
