#include "ops/lock/timing.hpp"

#include <algorithm>

#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kMinTtl{15};
constexpr seconds kMaxTtl{60};
// A request on a slow line needs at least this long.
constexpr seconds kLeastTry{1};
constexpr seconds kLongestTry{5};

}  // namespace

Result<LockTiming> make_lock_timing(milliseconds ttl, std::optional<milliseconds> kill_after) {
    if (ttl < kMinTtl || ttl > kMaxTtl || ttl % seconds(1) != milliseconds(0)) {
        return fail(ErrorCode::usage, "--ttl must be 15 to 60 whole seconds, not " + format_duration(ttl));
    }
    LockTiming out;
    out.ttl = ttl;
    out.margin = std::min<nanoseconds>(seconds(5), seconds(2) + out.ttl / 20);
    out.kill_after = kill_after ? nanoseconds(*kill_after) : std::min<nanoseconds>(seconds(10), out.ttl / 5);
    // Each renew attempt takes a third of the time until TERM. Even after the latest first renew point this third must
    // be at least kLeastTry; then there is time for two attempts.
    const nanoseconds latest_renew = out.renew_every() + out.renew_every() / 10;
    const nanoseconds most = out.ttl - out.margin - latest_renew - 3 * kLeastTry;
    if (out.kill_after > most) {
        return fail(ErrorCode::usage,
                    "--kill-after " + format_duration(std::chrono::duration_cast<milliseconds>(out.kill_after)) +
                        " leaves no time to renew a lease of " + format_duration(ttl),
                    "at most " + format_duration(std::chrono::floor<milliseconds>(most)) + " with this --ttl");
    }
    return out;
}

nanoseconds try_time(nanoseconds left) {
    return std::clamp<nanoseconds>(left / 3, milliseconds(1), kLongestTry);
}

}  // namespace azlock::ops
