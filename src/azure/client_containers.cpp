// BlobClient: containers, listings, the account and leases.
#include "azure/call_reading.hpp"
#include "azure/client.hpp"
#include "azure/refusals.hpp"
#include "http/transport_error.hpp"

namespace azlock::azure {
namespace {

// Makes a refusal after a lost answer a success if one of `codes` says that the wanted state is already there.
Status done_already(Status outcome, std::initializer_list<std::string_view> codes) {
    if (outcome || !outcome.error().may_have_applied) return outcome;
    for (const std::string_view code : codes) {
        if (outcome.error().service_code == code) return {};
    }
    return outcome;
}

// Acquire, renew and change return the current lease id.
Result<LeaseResult> read_holder(const http::Response& response) {
    auto lease = read_lease_result(response);
    if (lease && lease->lease_id.empty()) return fail(http::malformed_error("the service's answer lacks the lease id"));
    return lease;
}

Result<LeaseResult> read_break(const http::Response& response) {
    auto lease = read_lease_result(response);
    if (lease && !lease->seconds_left) return fail(http::malformed_error("the service's answer lacks the lease time"));
    return lease;
}

}  // namespace

Status BlobClient::create_container(std::string_view container, const Metadata& metadata,
                                    std::string_view public_access, const Call& call) {
    return done_already(
        send_only(pipeline_, make_create_container(endpoint_, container, metadata, public_access), call),
        {"ContainerAlreadyExists"});
}

Status BlobClient::ensure_container(std::string_view container, const Call& call) {
    auto made = create_container(container, {}, {}, call);
    if (!made && is_existing_container(made.error())) return {};
    return made;
}

Status BlobClient::delete_container(std::string_view container, const Conditions& conditions, const Call& call) {
    return done_already(send_only(pipeline_, make_delete_container(endpoint_, container, conditions), call),
                        {"ContainerNotFound", "ContainerBeingDeleted"});
}

Result<ContainerProperties> BlobClient::get_container_properties(std::string_view container, std::string_view lease_id,
                                                                 const Call& call) {
    return send_and_read(pipeline_, make_get_container_properties(endpoint_, container, lease_id), call,
                         [](const http::Response& response) -> Result<ContainerProperties> {
                             return read_container_properties(response);
                         });
}

Status BlobClient::set_container_metadata(std::string_view container, const Metadata& metadata,
                                          const Conditions& conditions, const Call& call) {
    return send_only(pipeline_, make_set_container_metadata(endpoint_, container, metadata, conditions), call);
}

Result<BlobPage> BlobClient::list_blobs(std::string_view container, const ListOptions& options, const Call& call) {
    return send_and_read(pipeline_, make_list_blobs(endpoint_, container, options), call,
                         [](const http::Response& response) {
                             auto page = read_blob_page(response.body);
                             if (page) page->date = response.headers.get("Date");
                             return page;
                         });
}

Result<ContainerPage> BlobClient::list_containers(const ListOptions& options, const Call& call) {
    return send_and_read(pipeline_, make_list_containers(endpoint_, options), call,
                         [](const http::Response& response) { return read_container_page(response.body); });
}

Result<UserKey> BlobClient::get_user_key(WallTime start, WallTime end, const Call& call) {
    return send_and_read(pipeline_, make_get_user_key(endpoint_, start, end), call,
                         [](const http::Response& response) { return read_user_key(response.body); });
}

Result<LeaseResult> BlobClient::acquire_lease(const BlobAddress& target, int duration_seconds,
                                              std::string_view proposed_id, const Conditions& conditions,
                                              const Call& call) {
    return send_and_read(pipeline_, make_acquire_lease(endpoint_, target, duration_seconds, proposed_id, conditions),
                         call, read_holder);
}

Result<LeaseResult> BlobClient::renew_lease(const BlobAddress& target, std::string_view lease_id,
                                            const Conditions& conditions, const Call& call) {
    return send_and_read(pipeline_, make_renew_lease(endpoint_, target, lease_id, conditions), call, read_holder);
}

Result<LeaseResult> BlobClient::change_lease(const BlobAddress& target, std::string_view lease_id,
                                             std::string_view proposed_id, const Conditions& conditions,
                                             const Call& call) {
    return send_and_read(pipeline_, make_change_lease(endpoint_, target, lease_id, proposed_id, conditions), call,
                         read_holder);
}

Status BlobClient::release_lease(const BlobAddress& target, std::string_view lease_id, const Conditions& conditions,
                                 const Call& call) {
    return done_already(send_only(pipeline_, make_release_lease(endpoint_, target, lease_id, conditions), call),
                        {"LeaseIdMismatchWithLeaseOperation", "LeaseNotPresentWithLeaseOperation"});
}

Result<LeaseResult> BlobClient::break_lease(const BlobAddress& target, std::optional<int> break_period_seconds,
                                            const Conditions& conditions, const Call& call) {
    return send_and_read(pipeline_, make_break_lease(endpoint_, target, break_period_seconds, conditions), call,
                         read_break);
}

}  // namespace azlock::azure
