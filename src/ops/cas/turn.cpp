#include "ops/cas/turn.hpp"

#include <chrono>

#include "ops/lease/keep.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::seconds kTtl{15};
constexpr std::chrono::seconds kTimeToRelease{5};

}  // namespace

Status Turn::take(const azure::Call& call) {
    if (lease_id_.empty()) lease_id_ = client_.random().uuid();
    const auto got = client_.acquire_lease(blob_, static_cast<int>(kTtl.count()), lease_id_, {}, call);
    if (!got) {
        may_be_taken_ = may_be_taken_ || got.error().may_have_applied;
        return fail(got.error());
    }
    taken_ = true;
    if (renewed_) {
        renewal_ = std::jthread([this, id = lease_id_](const std::stop_token& stop) {
            Clock& clock = client_.clock();
            KeepOptions options;
            options.lease_id = id;
            options.ttl = kTtl;
            if (clock.wait_until(clock.after(kTtl / 4), stop)) {
                (void)keep_lease(client_, blob_, options, {kNoDeadline, stop});
            }
        });
    }
    return {};
}

void Turn::end() {
    if (renewal_.joinable()) {
        renewal_.request_stop();
        renewal_.join();
    }
    if (taken_ || may_be_taken_) {
        // Best effort: without a release the lease ends soon by itself.
        (void)client_.release_lease(blob_, lease_id_, {}, {client_.clock().after(kTimeToRelease), {}});
    }
    taken_ = false;
    may_be_taken_ = false;
    lease_id_.clear();
}

}  // namespace azlock::ops
