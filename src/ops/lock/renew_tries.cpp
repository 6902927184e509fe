#include "ops/lock/renew_tries.hpp"

#include <algorithm>

#include "ops/lock/timing.hpp"

namespace azlock::ops {

std::optional<RenewTries::Try> RenewTries::start_due(BootTime now, BootTime limit) {
    // An answer that comes later than one ttl after its request proves nothing any more.
    std::erase_if(tries_, [&](const Try& t) { return now > t.sent + ttl_; });
    std::size_t active = 0;
    Try* only = nullptr;
    for (Try& t : tries_) {
        t.over = t.over || now >= t.until;
        if (t.over) continue;
        ++active;
        only = &t;
    }
    if (active == 0 && now >= due_) return start(now, limit);
    if (active != 1 || only->hedged || now < only->sent + kHedgeAfter) return std::nullopt;
    only->hedged = true;
    return start(now, limit);
}

RenewTries::Try RenewTries::start(BootTime now, BootTime limit) {
    Try out;
    out.number = ++last_;
    out.sent = now;
    out.until = now + try_time(limit - now);
    tries_.push_back(out);
    return out;
}

std::optional<RenewTries::Try> RenewTries::answered(int number) {
    const auto it = std::find_if(tries_.begin(), tries_.end(), [&](const Try& t) { return t.number == number; });
    if (it == tries_.end()) return std::nullopt;
    const Try out = *it;
    tries_.erase(it);
    return out;
}

void RenewTries::wait_for_none() {
    for (Try& t : tries_) t.over = true;
}

bool RenewTries::any_under_way() const {
    return std::any_of(tries_.begin(), tries_.end(), [](const Try& t) { return !t.over; });
}

BootTime RenewTries::next() const {
    BootTime out = kNoDeadline;
    const Try* only = nullptr;
    std::size_t active = 0;
    for (const Try& t : tries_) {
        if (t.over) continue;
        ++active;
        only = &t;
        out = std::min(out, t.until);
    }
    if (active == 0) return due_;
    return active == 1 && !only->hedged ? std::min(out, only->sent + kHedgeAfter) : out;
}

}  // namespace azlock::ops
