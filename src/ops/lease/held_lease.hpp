// A lease that we hold, and what an answer to its renew says about it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/address.hpp"
#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// Both clocks at one moment.
struct Now {
    BootTime boot;
    WallTime wall;
};
[[nodiscard]] inline Now now_on(const Clock& clock) {
    return {clock.now(), clock.wall()};
}

struct HeldLease {
    azure::BlobAddress blob;
    std::string lease_id;
    Now acquired{};  // just before the acquire or the last successful renew was sent
    std::chrono::seconds length{0};
    std::optional<WallTime> date;  // the service's clock in that answer
    azure::Metadata metadata;      // as it was found
};

// The result of a renew, or of a write under the lease.
struct RenewAnswer {
    enum class Kind {
        held,       // 200 and our id
        transient,  // the result says nothing about the lease
        definitive  // the service says that we do not hold it
    };
    Kind kind = Kind::transient;
    std::string text;              // for people
    std::optional<WallTime> date;  // the service's clock
};
[[nodiscard]] RenewAnswer read_renew(const Result<azure::LeaseResult>& result, const std::string& lease_id);
[[nodiscard]] RenewAnswer read_write(const Status& written);

}  // namespace azlock::ops
