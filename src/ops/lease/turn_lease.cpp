#include "ops/lease/turn_lease.hpp"

#include "ops/lease/keep.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {

Result<azure::LeaseResult> TurnLease::take(const azure::BlobAddress& blob, const azure::Call& call) {
    if (!(blob == blob_)) id_.clear();
    blob_ = blob;
    if (id_.empty()) id_ = client_.random().uuid();
    auto taken = client_.acquire_lease(blob_, static_cast<int>(kLength.count()), id_, {}, call);
    held_ = taken.has_value();
    may_be_held_ = may_be_held_ || (!taken && taken.error().may_have_applied);
    return taken;
}

void TurnLease::adopt(const azure::BlobAddress& blob, const std::string& id) {
    blob_ = blob;
    id_ = id;
    held_ = true;
}

std::jthread TurnLease::renewing() const {
    return std::jthread([&client = client_, blob = blob_, id = id_](const std::stop_token& stop) {
        Clock& clock = client.clock();
        KeepOptions options;
        options.lease_id = id;
        options.ttl = kLength;
        if (clock.wait_until(clock.after(kLength / 4), stop)) {
            (void)keep_lease(client, blob, options, {kNoDeadline, stop});
        }
    });
}

void TurnLease::release(const azure::Call& call) {
    if (!held_ && !may_be_held_) return;
    held_ = may_be_held_ = false;
    const auto released = client_.release_lease(blob_, id_, {}, call);
    if (released || is_definitive(released.error())) id_.clear();
}

void TurnLease::lose() {
    held_ = may_be_held_ = false;
    id_.clear();
}

}  // namespace azlock::ops
