// The end of a run's lease: writes that the command has ended, then releases the lease.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "ops/lock/acquire.hpp"

namespace azlock::ops {

struct LeaseEndTimes {
    std::chrono::nanoseconds at_most{0};  // without an answer
    BootTime until{};                     // a service that answers, but not now, is asked again until then
    std::stop_token stop;                 // ends the wait for that
};

struct LeaseEnd {
    bool lost = false;            // the lock was somebody else's, or free, before the command's end was written
    std::optional<Error> error;   // the lease is not released
    std::optional<Error> unsaid;  // it is released, but the command's end is not written
};

// Asks for the end to be written twice, so that one connection that stalls does not cost the next holder its time.
// `tell` hears once that azlock asks again.
[[nodiscard]] LeaseEnd end_lease(Acquirer& acquirer, const HeldLock& held, const OwnerRecord& record, Clock& clock,
                                 const LeaseEndTimes& times, const std::function<void(const std::string&)>& tell);

// For the user: the next holder waits for this time, or the lease is still there and ends by itself in it.
[[nodiscard]] std::string describe_unsaid(const Error& error, std::chrono::milliseconds ttl);
[[nodiscard]] std::string describe_not_released(const Error& error, std::chrono::nanoseconds left);

}  // namespace azlock::ops
