// A turn: the short lease under which azlock appends, so that nobody else's bytes can be taken for ours (design 6.5).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "ops/append/outage_retry.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {

struct TurnOptions {
    // How long to wait while somebody else has the lease; not given: forever.
    std::optional<std::chrono::nanoseconds> wait;
    // Is told once in each wait that has become long.
    std::function<void(const LeaseView&)> waiting;
};

// For one thread. It lasts 15 s from the last renewal where nobody gives it back.
class AppendTurn {
  public:
    static constexpr std::chrono::seconds kLease{15};
    static constexpr std::chrono::seconds kLongest{5};  // then it is somebody else's turn
    static constexpr std::chrono::seconds kRenewEvery{5};

    AppendTurn(azure::BlobClient& client, Persistence& persistence, TurnOptions options);

    // Waits for the lease and takes it: the blob's ETag. Errors: busy after the wait, not_found where there is no blob.
    [[nodiscard]] Result<std::string> take(const azure::BlobAddress& blob);
    // Goes on with a lease that an earlier run of azlock held. Error: nobody can tell who has had it in between.
    [[nodiscard]] Status adopt(const azure::BlobAddress& blob, const std::string& lease_id);
    [[nodiscard]] bool held() const { return held_; }
    [[nodiscard]] const std::string& lease_id() const { return id_; }
    // It took a wait to get this one: others want the next one.
    [[nodiscard]] bool contended() const { return contended_; }

    // It has lasted long enough.
    [[nodiscard]] bool due_to_end() const;
    [[nodiscard]] BootTime renew_at() const { return renewed_ + kRenewEvery; }
    // Success proves that nobody else has had the lease since take(). After a definitive refusal (ops::is_definitive)
    // it is being broken, or lost.
    [[nodiscard]] Status renew();
    // Renews every kRenewEvery, beside a request that may take long, until the thread is destroyed. What becomes of it
    // the request and the next renew() tell.
    [[nodiscard]] std::jthread renewing() const;

    // Gives it back. A failure is made good by the next take(), or by the lease's end.
    void end(const azure::Call& call);
    // The service said that it is not ours any more.
    void lose();

  private:
    [[nodiscard]] Status wait_for_it(const Error& refused, BootTime since);

    azure::BlobClient& client_;
    Clock& clock_;
    Persistence& persistence_;
    TurnOptions options_;
    azure::BlobAddress blob_;
    std::string id_;  // kept until the service has confirmed its end
    bool held_ = false;
    bool contended_ = false;
    bool told_ = false;
    BootTime taken_;
    BootTime renewed_;
    BootTime not_before_;  // others come first after a long turn
    std::chrono::milliseconds pause_{0};
};

}  // namespace azlock::ops
