#include "ops/lease/actions.hpp"

#include "base/text.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

// A successful answer with another lease id: Azurite renews an expired lease for anybody (Azurite#2352).
Error not_ours(const azure::BlobAddress& target) {
    Error error =
        make_error(ErrorCode::precondition, "the lease is held under another lease id", "acquire a lease again");
    error.operation = target.is_container() ? "Lease Container" : "Lease Blob";
    error.target = target.to_string();
    error.http_status = 409;
    error.service_code = "LeaseIdMismatchWithLeaseOperation";
    return error;
}

}  // namespace

Status renew_once(azure::BlobClient& client, const azure::BlobAddress& target, const std::string& lease_id,
                  const azure::Call& call) {
    const auto renewed = client.renew_lease(target, lease_id, {}, call);
    if (!renewed) return fail(renewed.error());
    if (!iequals(renewed->lease_id, lease_id)) return fail(not_ours(target));
    return {};
}

Status renew_lease(azure::BlobClient& client, const azure::BlobAddress& target, const std::string& lease_id,
                   const azure::Call& call) {
    auto renewed = renew_once(client, target, lease_id, call);
    if (!renewed) return fail(explain_refusal(LeaseAction::renew, renewed.error(), client, target, call));
    return renewed;
}

Status change_lease(azure::BlobClient& client, const azure::BlobAddress& target, const std::string& lease_id,
                    const std::string& to, const azure::Call& call) {
    const auto changed = client.change_lease(target, lease_id, to, {}, call);
    if (!changed) return fail(explain_refusal(LeaseAction::change, changed.error(), client, target, call));
    if (!iequals(changed->lease_id, to)) return fail(not_ours(target));
    return {};
}

Status release_lease(azure::BlobClient& client, const azure::BlobAddress& target, const std::string& lease_id,
                     const azure::Call& call) {
    auto released = client.release_lease(target, lease_id, {}, call);
    if (!released) return fail(explain_refusal(LeaseAction::release, released.error(), client, target, call));
    return released;
}

}  // namespace azlock::ops
