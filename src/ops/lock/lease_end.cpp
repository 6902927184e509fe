#include "ops/lock/lease_end.hpp"

#include <algorithm>
#include <utility>

#include "base/quantity.hpp"
#include "base/within_limits.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kAskAgain{1000};
constexpr int kShortages = 3;  // memory that is not there now may be free soon
constexpr milliseconds kShortage{100};

}  // namespace

LeaseEnd end_lease(Acquirer& acquirer, const HeldLock& held, const OwnerRecord& record, Clock& clock,
                   const LeaseEndTimes& times, const std::function<void(const std::string&)>& tell) {
    bool told = false;
    const auto repeat = [&](nanoseconds at_most, const auto& act) {
        for (int shortages = 0;;) {
            auto done = within_limits([&] { return act(azure::Call{clock.after(at_most), {}}); });
            if (done) return done;
            if (done.error().code == ErrorCode::io && ++shortages < kShortages) {
                if (!clock.wait_until(clock.after(kShortage), times.stop)) return done;
                continue;
            }
            if (done.error().code != ErrorCode::unavailable || done.error().http_status == 0) return done;
            const milliseconds asked(done.error().retry_after_ms.value_or(0));
            const BootTime next = clock.after(std::max(asked, kAskAgain));
            if (next >= times.until) return done;
            if (!std::exchange(told, true)) tell("cannot release the lock yet: " + done.error().message);
            if (!clock.wait_until(next, times.stop)) return done;
        }
    };
    const BootTime by = clock.after(times.at_most);
    const bool asks_again = times.until > clock.now();  // the result matters: the run was not lost before
    const nanoseconds part = times.at_most / (asks_again ? 5 : 2);
    const auto say = [&](nanoseconds at_most) {
        return repeat(at_most, [&](const azure::Call& call) { return acquirer.say_ended(held, record, call); });
    };
    auto said = say(asks_again ? 2 * part : part);
    // The connection may have stalled, or the refusal may pass.
    if (!said && asks_again && !times.stop.stop_requested() && !is_definitive(said.error())) said = say(part);
    LeaseEnd out;
    out.lost = said ? !*said : asks_again && acquirer.is_over(held, {clock.after(part), {}});
    const auto released =
        repeat(std::max(part, by - clock.now()), [&](const azure::Call& call) { return acquirer.release(held, call); });
    const bool refused = !released && is_definitive(released.error());
    if (!said && refused) out.lost = true;
    if (!released && !(refused && said && *said)) out.error = released.error();
    if (!said && released) out.unsaid = said.error();
    return out;
}

std::string describe_unsaid(const Error& error, milliseconds ttl) {
    return "could not write that the command has ended: " + error.message + "; the next holder of the lock waits for " +
           format_duration(ttl);
}

std::string describe_not_released(const Error& error, nanoseconds left) {
    const auto within = std::chrono::ceil<milliseconds>(std::max(left, nanoseconds(0)));
    return "could not release the lock: " + error.message + "; if it is still ours, it ends by itself within " +
           format_duration(within);
}

}  // namespace azlock::ops
