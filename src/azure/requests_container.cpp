// Requests for containers, listings and the account.
#include "azure/request_parts.hpp"
#include "base/http_date.hpp"

namespace azlock::azure {

using http::Method;

namespace {

Operation start_container(std::string_view name, Method method, const Endpoint& endpoint, std::string_view container,
                          int expected) {
    Operation op = parts::start(name, method, endpoint, {std::string(container), {}, {}}, expected);
    parts::add_query(op, "restype", "container");
    return op;
}

void add_list_options(Operation& op, const ListOptions& options) {
    parts::add_query(op, "comp", "list");
    if (!options.prefix.empty()) parts::add_query(op, "prefix", options.prefix);
    if (!options.delimiter.empty()) parts::add_query(op, "delimiter", options.delimiter);
    if (!options.marker.empty()) parts::add_query(op, "marker", options.marker);
    if (options.max_results) parts::add_query(op, "maxresults", std::to_string(*options.max_results));
    if (!options.include.empty()) parts::add_query(op, "include", options.include);
}

}  // namespace

Operation make_create_container(const Endpoint& endpoint, std::string_view container, const Metadata& metadata,
                                std::string_view public_access) {
    Operation op = start_container("Create Container", Method::put, endpoint, container, 201);
    op.replay = Replay::conditional;
    parts::add_header(op, "x-ms-blob-public-access", public_access);
    parts::add_metadata(op, metadata);
    return op;
}

Operation make_delete_container(const Endpoint& endpoint, std::string_view container, const Conditions& conditions) {
    Operation op = start_container("Delete Container", Method::del, endpoint, container, 202);
    op.replay = Replay::conditional;
    parts::add_container_conditions(op, conditions);
    return op;
}

Operation make_get_container_properties(const Endpoint& endpoint, std::string_view container,
                                        std::string_view lease_id) {
    Operation op = start_container("Get Container Properties", Method::head, endpoint, container, 200);
    parts::add_header(op, "x-ms-lease-id", lease_id);
    return op;
}

Operation make_set_container_metadata(const Endpoint& endpoint, std::string_view container, const Metadata& metadata,
                                      const Conditions& conditions) {
    Operation op = start_container("Set Container Metadata", Method::put, endpoint, container, 200);
    parts::add_query(op, "comp", "metadata");
    parts::add_header(op, "If-Modified-Since", conditions.if_modified_since);
    parts::add_header(op, "x-ms-lease-id", conditions.lease_id);
    parts::add_metadata(op, metadata);
    return op;
}

Operation make_list_blobs(const Endpoint& endpoint, std::string_view container, const ListOptions& options) {
    Operation op = start_container("List Blobs", Method::get, endpoint, container, 200);
    add_list_options(op, options);
    return op;
}

Operation make_list_containers(const Endpoint& endpoint, const ListOptions& options) {
    Operation op = parts::start("List Containers", Method::get, endpoint, {}, 200);
    op.target = endpoint.account;
    add_list_options(op, options);
    return op;
}

Operation make_get_user_key(const Endpoint& endpoint, WallTime start, WallTime end) {
    Operation op = parts::start("Get User Delegation Key", Method::post, endpoint, {}, 200);
    op.target = endpoint.account;
    parts::add_query(op, "restype", "service");
    parts::add_query(op, "comp", "userdelegationkey");
    parts::add_header(op, "Content-Type", "application/xml");
    op.request.body =
        http::make_body("<?xml version=\"1.0\" encoding=\"utf-8\"?><KeyInfo><Start>" + format_iso8601(start) +
                        "</Start><Expiry>" + format_iso8601(end) + "</Expiry></KeyInfo>");
    return op;
}

}  // namespace azlock::azure
