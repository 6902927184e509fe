#include "ops/lock/lock_check.hpp"

#include <algorithm>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/held_lease.hpp"
#include "ops/lock/keeper.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;

Status check_time(milliseconds left, std::optional<milliseconds> at_least) {
    if (!at_least || left >= *at_least) return {};
    return fail(ErrorCode::precondition, "only " + format_duration(left) + " left, not " + format_duration(*at_least));
}

Error lost(const HeldEntry& lock, const std::string& why) {
    Error out = make_error(ErrorCode::precondition, "the lock " + printable(lock.name) + " is lost: " + why);
    out.lost = true;
    return out;
}

}  // namespace

Result<LockCheck> check_lock(const std::function<Result<LockPlace>(const std::string& url)>& open,
                             std::optional<milliseconds> min_left, const azure::Call& call) {
    auto lock = innermost_lock();
    if (!lock) return fail(lock.error());
    // A renew alone is no proof: it also revives a lease that has expired and that nobody keeps.
    const auto [kept, silent] = ask_keeper(lock->keeper, lock->lease_id,
                                           std::min<milliseconds>(min_left.value_or(kKeeperPatience), kKeeperPatience));
    if (silent) return fail(ErrorCode::unavailable, "the azlock that keeps the lock does not answer");
    if (!kept) {
        return fail(lost(*lock,
                         "no azlock keeps it for this process (that azlock has ended, or this was not started "
                         "by its command)"));
    }
    if (!kept->held) return fail(lost(*lock, "the azlock that keeps it says so"));
    const auto place = open(lock->url);
    if (!place) return fail(place.error());
    azure::Call bounded = call;
    if (min_left) bounded.deadline = std::min(call.deadline, place->client.clock().after(*min_left));
    const auto renewed = place->client.renew_lease(place->blob, lock->lease_id, {}, bounded);
    const RenewAnswer answer = read_renew(renewed, lock->lease_id);
    if (answer.kind == RenewAnswer::Kind::definitive) return fail(lost(*lock, answer.text));
    if (!renewed) return fail(renewed.error());
    if (answer.kind != RenewAnswer::Kind::held) return fail(ErrorCode::unavailable, answer.text);
    const auto left =
        std::max(milliseconds(0), std::chrono::floor<milliseconds>(kept->term_at - place->client.clock().now()));
    return LockCheck{std::move(*lock), left, check_time(left, min_left)};
}

}  // namespace azlock::ops
