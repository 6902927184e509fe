// A turn: a short lease under which azlock appends, so that it cannot take the bytes of others for its own (design
// 6.5).
#pragma once

#include "ops/append/outage_retry.hpp"
#include "ops/lease/turn_lease.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {

struct TurnOptions {
    // How long to wait while somebody else has the lease; not given: forever.
    std::optional<std::chrono::nanoseconds> wait;
    // Called once in each wait that lasts longer than 20 s.
    std::function<void(const LeaseView&)> waiting;
};

// For one thread.
class AppendTurn {
  public:
    static constexpr std::chrono::seconds kLongest{5};  // after this, other writers get their turn
    static constexpr std::chrono::seconds kRenewEvery{5};

    AppendTurn(azure::BlobClient& client, OutageRetry& retry, TurnOptions options);

    // Waits for the lease, takes it and returns the blob's ETag. Errors: busy after the wait; not_found without a blob.
    [[nodiscard]] Result<std::string> take(const azure::BlobAddress& blob);
    // Continues with a lease that an earlier run of azlock held. Error: others may have had the lease since.
    [[nodiscard]] Status adopt(const azure::BlobAddress& blob, const std::string& lease_id);
    [[nodiscard]] bool held() const { return lease_.held(); }
    [[nodiscard]] const std::string& lease_id() const { return lease_.id(); }
    // We had to wait for this turn, so other writers want the next one.
    [[nodiscard]] bool contended() const { return contended_; }

    // The turn has lasted for kLongest.
    [[nodiscard]] bool due_to_end() const;
    [[nodiscard]] BootTime renew_at() const { return renewed_ + kRenewEvery; }
    // Success proves that nobody else has had the lease since take(). After a definitive refusal (ops::is_definitive)
    // somebody is breaking the lease, or it is lost.
    [[nodiscard]] Status renew();
    // For a request that may take long.
    [[nodiscard]] std::jthread renewing() const { return lease_.renewing(); }

    // Releases the lease.
    void end(const azure::Call& call);
    // To be called after the service said that the lease is no longer ours.
    void lose() { lease_.lose(); }

  private:
    [[nodiscard]] Status wait_for_it(const Error& refused, BootTime since);

    azure::BlobClient& client_;
    Clock& clock_;
    OutageRetry& retry_;
    TurnOptions options_;
    TurnLease lease_;
    bool contended_ = false;
    bool told_ = false;
    BootTime taken_;
    BootTime renewed_;
    BootTime not_before_;  // others come first after a long turn
    std::chrono::milliseconds pause_{0};
};

}  // namespace azlock::ops
