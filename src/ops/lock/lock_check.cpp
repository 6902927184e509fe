#include "ops/lock/lock_check.hpp"

#include <algorithm>

#include "ops/lease/held_lease.hpp"
#include "ops/lock/term_point_file.hpp"

namespace azlock::ops {

using std::chrono::milliseconds;

Result<LockCheck> check_lock(azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& lease_id,
                             const std::string& term_point_path, const azure::Call& call) {
    const auto renewed = client.renew_lease(blob, lease_id, {}, call);
    const RenewAnswer answer = read_renew(renewed, lease_id);
    LockCheck out;
    if (answer.kind == RenewAnswer::Kind::definitive) {
        out.lost = answer.text;
        return out;
    }
    if (!renewed) return fail(renewed.error());
    if (answer.kind != RenewAnswer::Kind::held) return fail(ErrorCode::unavailable, answer.text);
    const auto term_at = read_term_point(term_point_path);
    if (term_at && *term_at != kNoDeadline) {
        out.left = std::max(milliseconds(0), std::chrono::floor<milliseconds>(*term_at - client.clock().now()));
    }
    return out;
}

}  // namespace azlock::ops
