// A turn: a short lease on the blob, under which a writer that kept losing writes without a race.
#pragma once

#include <string>
#include <thread>

#include "azure/client.hpp"

namespace azlock::ops {

// Not thread-safe. Gives back what it has, or may have, when it goes away.
class Turn {
  public:
    // `renewed`: a lease is renewed in the background as long as the turn lasts. Else it is over after 15 s.
    Turn(azure::BlobClient& client, const azure::BlobAddress& blob, bool renewed)
        : client_(client), blob_(blob), renewed_(renewed) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { end(); }

    // One try to get it. Error: busy where somebody else has a lease; every other one of Lease Blob.
    [[nodiscard]] Status take(const azure::Call& call);
    // Whether the lease was got; it may be lost by now, which the service says when something is written under it.
    [[nodiscard]] bool taken() const { return taken_; }
    [[nodiscard]] const std::string& lease_id() const { return lease_id_; }
    void end();

  private:
    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    bool renewed_;
    std::string lease_id_;
    bool taken_ = false;
    bool may_be_taken_ = false;  // a request for it was not answered
    std::jthread keeper_;
};

}  // namespace azlock::ops
