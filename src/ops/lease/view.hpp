// The state of the lease of a blob or container, and its holder.
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/lease/foreign_record.hpp"
#include "ops/lease/quarantine_mark.hpp"

namespace azlock::ops {

struct LeaseView {
    azure::LeaseInfo lease;
    std::string etag;
    std::string last_modified;
    azure::Metadata metadata;
    std::optional<WallTime> now;  // the service's clock; ours for a container, or if the answer has no date
    OwnerRecord owner;            // of whoever holds it, or who held it last
    // The holder lets a quarantine pass, in which the command of this former holder may still run.
    std::optional<OwnerRecord> former;
    std::optional<WallTime> quarantine_until;
    std::optional<ForeignRecord> foreign;

    // Somebody holds it: leased or breaking.
    [[nodiscard]] bool is_taken() const { return lease.state == "leased" || lease.state == "breaking"; }
    [[nodiscard]] bool has_record() const { return foreign || !owner.empty(); }
    // Since when the holder has the lease; nullopt if no record says it.
    [[nodiscard]] std::optional<WallTime> since() const;
    // The time since the record's holder took its lease, which may be over; nullopt if no record says it.
    [[nodiscard]] std::optional<std::chrono::milliseconds> age() const;
    // How long its holder has had it; nullopt if nobody holds it, or no record says it.
    [[nodiscard]] std::optional<std::chrono::milliseconds> held_for() const {
        return is_taken() ? age() : std::nullopt;
    }
    // The holder according to its record: "deploy@ci-7 pid 4121 for 12 min"; "somebody who left no record"; and whose
    // command it waits for in a quarantine. If nobody holds it: who held it last, and since when, because no record
    // says for how long.
    [[nodiscard]] std::string holder() const;
    // The next azlock that takes this lock may wait, because the command of the former holder may still run.
    [[nodiscard]] bool next_holder_waits() const {
        const bool ended_otherwise = lease.state == "available" || (lease.state == "expired" && owner.former);
        return (lease.state == "broken" && !holder_is_dead(metadata)) || (ended_otherwise && command_may_run(metadata));
    }
    // The command of a lock's last holder may run: its record must stay.
    [[nodiscard]] bool has_command() const {
        return (lease.state != "expired" || owner.former) && command_may_run(metadata);
    }
    // The lease id if a record tells it, so that a release can end the lease; else empty, and only a break can.
    [[nodiscard]] std::string known_id() const;
    // The command that ends the lease of `target`. In a quarantine it is only right if the former holder's command has
    // ended.
    [[nodiscard]] std::string way_out(const std::string& target) const;
};

[[nodiscard]] LeaseView make_lease_view(const azure::LeaseInfo& lease, const std::string& etag,
                                        const std::string& last_modified, const azure::Metadata& metadata,
                                        std::optional<WallTime> now);
// Of a blob or a container, from its properties.
template <typename Properties>
[[nodiscard]] LeaseView make_lease_view(const Properties& found, std::optional<WallTime> now) {
    return make_lease_view(found.lease, found.etag, found.last_modified, found.metadata, now);
}

// HEAD of the blob, or of the container if the address names no blob.
[[nodiscard]] Result<LeaseView> look_at_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                              const azure::Call& call);

}  // namespace azlock::ops
