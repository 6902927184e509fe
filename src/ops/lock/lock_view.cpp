#include "ops/lock/lock_view.hpp"

#include <algorithm>

#include "ops/lock/lock_name.hpp"

namespace azlock::ops {

std::size_t LockView::held() const {
    return static_cast<std::size_t>(
        std::count_if(slots.begin(), slots.end(), [](const ListedLease& slot) { return slot.view.is_taken(); }));
}

Result<LockView> look_at_lock(azure::BlobClient& client, const azure::BlobAddress& first, const azure::Call& call) {
    auto seen = look_at_lease(client, first, call);
    if (!seen) return fail(seen.error());
    LockView out;
    out.count = std::clamp(seen->owner.slots.value_or(1), std::uint64_t{1}, kMostSlots);
    out.slots.push_back({first.to_string(), std::move(*seen)});
    const LockName lock{first, out.count};
    for (std::uint64_t i = 1; i < out.count; ++i) {
        auto other = look_at_lease(client, lock.slot(i), call);
        if (!other && other.error().code == ErrorCode::not_found) continue;
        if (!other) return fail(other.error());
        out.slots.push_back({lock.slot(i).to_string(), std::move(*other)});
    }
    return out;
}

}  // namespace azlock::ops
