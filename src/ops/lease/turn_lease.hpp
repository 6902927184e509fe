// The lease of a turn: short, under an id that azlock makes, and given back as soon as possible.
#pragma once

#include <string>
#include <thread>

#include "azure/client.hpp"

namespace azlock::ops {

// For one thread. A try whose answer was lost locks nobody out: the next try uses the same id.
class TurnLease {
  public:
    static constexpr std::chrono::seconds kLength{15};

    explicit TurnLease(azure::BlobClient& client) : client_(client) {}

    // Tries once. Errors: those of Lease Blob.
    [[nodiscard]] Result<azure::LeaseResult> take(const azure::BlobAddress& blob, const azure::Call& call);
    // Continues with a lease that somebody else took. The caller renews it, which shows whether it is still held.
    void adopt(const azure::BlobAddress& blob, const std::string& id);
    // The lease was acquired. It may be lost by now; then the service refuses a write under it.
    [[nodiscard]] bool held() const { return held_; }
    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const azure::BlobAddress& blob() const { return blob_; }

    // Renews in the background until the returned thread is destroyed. It reports no failure: a write under a lost
    // lease is refused.
    [[nodiscard]] std::jthread renewing() const;

    // Releases the lease that it has or may have. If that fails, the lease ends after kLength.
    void release(const azure::Call& call);
    // To be called after the service said that the lease is no longer ours.
    void lose();

  private:
    azure::BlobClient& client_;
    azure::BlobAddress blob_;
    std::string id_;  // kept until the service has confirmed the end of the lease
    bool held_ = false;
    bool may_be_held_ = false;  // the answer to an acquire was lost
};

}  // namespace azlock::ops
