// Lease requests; the same five actions for blobs and containers.
#include "azure/request_parts.hpp"

namespace azlock::azure {
namespace {

Operation start_lease(const char* action, int expected, const Endpoint& endpoint, const BlobAddress& target,
                      Conditions conditions) {
    const bool on_container = target.is_container();
    conditions.lease_id.clear();  // here it is the action's argument
    Operation op =
        parts::start(on_container ? "Lease Container" : "Lease Blob", http::Method::put, endpoint, target, expected);
    parts::add_query(op, "comp", "lease");
    if (on_container) {
        parts::add_query(op, "restype", "container");
        parts::add_container_conditions(op, conditions);
    } else {
        parts::add_conditions(op, conditions);
    }
    parts::add_header(op, "x-ms-lease-action", action);
    return op;
}

}  // namespace

Operation make_acquire_lease(const Endpoint& endpoint, const BlobAddress& target, int duration_seconds,
                             std::string_view proposed_id, const Conditions& conditions) {
    Operation op = start_lease("acquire", 201, endpoint, target, conditions);
    op.replay = proposed_id.empty() ? Replay::ambiguous : Replay::harmless;
    op.request.headers.set("x-ms-lease-duration", std::to_string(duration_seconds));
    parts::add_header(op, "x-ms-proposed-lease-id", proposed_id);
    return op;
}

Operation make_renew_lease(const Endpoint& endpoint, const BlobAddress& target, std::string_view lease_id,
                           const Conditions& conditions) {
    Operation op = start_lease("renew", 200, endpoint, target, conditions);
    op.request.headers.set("x-ms-lease-id", std::string(lease_id));
    return op;
}

Operation make_change_lease(const Endpoint& endpoint, const BlobAddress& target, std::string_view lease_id,
                            std::string_view proposed_id, const Conditions& conditions) {
    Operation op = start_lease("change", 200, endpoint, target, conditions);
    op.request.headers.set("x-ms-lease-id", std::string(lease_id));
    op.request.headers.set("x-ms-proposed-lease-id", std::string(proposed_id));
    return op;
}

Operation make_release_lease(const Endpoint& endpoint, const BlobAddress& target, std::string_view lease_id,
                             const Conditions& conditions) {
    Operation op = start_lease("release", 200, endpoint, target, conditions);
    op.replay = Replay::conditional;
    op.request.headers.set("x-ms-lease-id", std::string(lease_id));
    return op;
}

Operation make_break_lease(const Endpoint& endpoint, const BlobAddress& target, std::optional<int> break_period_seconds,
                           const Conditions& conditions) {
    Operation op = start_lease("break", 202, endpoint, target, conditions);
    if (break_period_seconds) {
        op.request.headers.set("x-ms-lease-break-period", std::to_string(*break_period_seconds));
    }
    return op;
}

}  // namespace azlock::azure
