// Who holds the slots of a lock, as somebody sees it who only looks.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/lease/list.hpp"

namespace azlock::ops {

// The leases of the lock's slots that somebody has ever had, by their blobs.
struct LockView {
    std::vector<ListedLease> slots;
    std::uint64_t count = 1;  // of all slots, by the lock's record

    [[nodiscard]] std::size_t held() const;
};

// `first`: slot 0. Errors: not_found (nobody has ever had it); those of the requests.
[[nodiscard]] Result<LockView> look_at_lock(azure::BlobClient& client, const azure::BlobAddress& first,
                                            const azure::Call& call);

}  // namespace azlock::ops
