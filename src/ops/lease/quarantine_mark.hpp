// Says beside the record of a lock's former holder who has the lease now, and lets the time of that holder pass.
#pragma once

#include <optional>

#include "ops/lease/owner_record.hpp"

namespace azlock::ops {

struct Quarantine {
    OwnerRecord by;  // who has the lease: owner, host, pid, since
    WallTime until;  // by the service's clock
};

// The mark counts only beside the record that is there now.
[[nodiscard]] azure::Metadata with_quarantine_mark(const azure::Metadata& present, const Quarantine& quarantine);
// nullopt: there is no mark that counts.
[[nodiscard]] std::optional<Quarantine> read_quarantine_mark(const azure::Metadata& metadata);

}  // namespace azlock::ops
