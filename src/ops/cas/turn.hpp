// A turn: a short lease on the blob. A writer that lost several rounds takes it and then writes without a race.
#pragma once

#include <string>
#include <thread>

#include "azure/client.hpp"

namespace azlock::ops {

// Not thread-safe. The destructor releases the lease that it has or may have.
class Turn {
  public:
    // `renewed`: the lease is renewed in the background while the turn lasts. Else the turn ends after 15 s.
    Turn(azure::BlobClient& client, const azure::BlobAddress& blob, bool renewed)
        : client_(client), blob_(blob), renewed_(renewed) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { end(); }

    // Tries once to take the turn. Errors: busy if somebody else has a lease; all others of Lease Blob.
    [[nodiscard]] Status take(const azure::Call& call);
    // The lease was acquired. It may be lost by now; then the service refuses a write under it.
    [[nodiscard]] bool taken() const { return taken_; }
    [[nodiscard]] const std::string& lease_id() const { return lease_id_; }
    void end();

  private:
    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    bool renewed_;
    std::string lease_id_;
    bool taken_ = false;
    bool may_be_taken_ = false;  // the answer to an acquire was lost
    std::jthread renewal_;
};

}  // namespace azlock::ops
