// Sees in the requests of a command whether the service can be reached, and tells when that begins to fail and when it
// works again.
#pragma once

#include <mutex>
#include <optional>

#include "azure/pipeline.hpp"
#include "ops/transfer/outage.hpp"

namespace azlock::ops {

// An outage begins with a request that is to be repeated and ends with the first answer that says more than "later".
// The user hears of it as soon as the next attempt would start kTellOutageAfter or more after the first failure.
// Thread-safe; the functions are called from one thread at a time.
class OutageWatch final : public azure::Observer {
  public:
    // `next` sees everything, too; null: nobody. Clock and `next` must outlive this.
    OutageWatch(Clock& clock, azure::Observer* next, OutageTold told)
        : clock_(clock), next_(next), told_(std::move(told)) {}

    void answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) override;
    void failed(const azure::Operation& op, const Error& error) override;
    void retrying(const azure::Operation& op, const Error& why, std::chrono::milliseconds wait) override;

  private:
    Clock& clock_;
    azure::Observer* next_;
    OutageTold told_;
    std::mutex mutex_;
    std::optional<BootTime> since_;
    bool began_ = false;
};

}  // namespace azlock::ops
