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
    const nanoseconds half = times.at_most / 2;  // so that time is left for the release
    const auto said = repeat(half, [&](const azure::Call& call) { return acquirer.say_ended(held, record, call); });
    const auto released =
        repeat(std::max(half, by - clock.now()), [&](const azure::Call& call) { return acquirer.release(held, call); });
    LeaseEnd out;
    const bool refused = !released && is_definitive(released.error());
    out.lost = said ? !*said : refused;
    if (!released && !(refused && said && *said)) out.error = released.error();
    return out;
}

std::string describe_not_released(const Error& error, nanoseconds left) {
    const auto within = std::chrono::ceil<milliseconds>(std::max(left, nanoseconds(0)));
    return "could not release the lock: " + error.message + "; it ends by itself within " + format_duration(within);
}

}  // namespace azlock::ops
