#include "ops/lock/lock_check.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/held_lease.hpp"
#include "ops/lock/term_point_file.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;

std::optional<milliseconds> time_left(Clock& clock) {
    const char* keeper = std::getenv("AZLOCK_KEEPER");
    const auto term_at = read_term_point(keeper != nullptr ? keeper : "");
    if (!term_at || *term_at == kNoDeadline) return std::nullopt;
    return std::max(milliseconds(0), std::chrono::floor<milliseconds>(*term_at - clock.now()));
}

Status check_time(std::optional<milliseconds> left, std::optional<milliseconds> at_least) {
    if (!at_least) return {};
    if (!left) {
        return fail(ErrorCode::unavailable,
                    "it is not known how much time is left: the azlock that keeps the lock is not reachable from here");
    }
    if (*left >= *at_least) return {};
    return fail(ErrorCode::precondition, "only " + format_duration(*left) + " left, not " + format_duration(*at_least));
}

}  // namespace

Result<LockCheck> check_lock(const std::function<Result<LockPlace>(const std::string& url)>& open,
                             std::optional<milliseconds> min_left, const azure::Call& call) {
    auto lock = innermost_lock();
    if (!lock) return fail(lock.error());
    const auto place = open(lock->url);
    if (!place) return fail(place.error());
    const auto renewed = place->client.renew_lease(place->blob, lock->lease_id, {}, call);
    const RenewAnswer answer = read_renew(renewed, lock->lease_id);
    if (answer.kind == RenewAnswer::Kind::definitive) {
        Error error =
            make_error(ErrorCode::precondition, "the lock " + printable(lock->name) + " is lost: " + answer.text);
        error.lost = true;
        return fail(std::move(error));
    }
    if (!renewed) return fail(renewed.error());
    if (answer.kind != RenewAnswer::Kind::held) return fail(ErrorCode::unavailable, answer.text);
    const auto left = time_left(place->client.clock());
    return LockCheck{std::move(*lock), left, check_time(left, min_left)};
}

}  // namespace azlock::ops
