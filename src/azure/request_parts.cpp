#include "azure/request_parts.hpp"

namespace azlock::azure::parts {

Operation start(std::string_view name, http::Method method, const Endpoint& endpoint, const BlobAddress& address,
                int expected) {
    Operation op;
    op.name = name;
    op.request.method = method;
    op.request.origin = endpoint.origin;
    op.request.path = path_of(endpoint, address);
    op.expected = expected;
    op.target = redact(address.to_string());  // a mistyped URL ends up here as a name, with its SAS
    if (!address.snapshot.empty()) add_query(op, "snapshot", address.snapshot);
    return op;
}

void add_query(Operation& op, std::string_view name, std::string value) {
    op.request.query.emplace_back(std::string(name), std::move(value));
}

void add_header(Operation& op, std::string_view name, std::string_view value) {
    if (!value.empty()) op.request.headers.set(name, std::string(value));
}

void add_metadata(Operation& op, const Metadata& metadata) {
    for (const auto& [name, value] : metadata) op.request.headers.set("x-ms-meta-" + name, value);
}

void add_checksum(Operation& op, const Checksum& checksum) {
    if (checksum.kind == Checksum::Kind::md5) add_header(op, "Content-MD5", checksum.value);
    if (checksum.kind == Checksum::Kind::crc64) add_header(op, "x-ms-content-crc64", checksum.value);
}

void add_content(Operation& op, const ContentHeaders& content) {
    add_header(op, "x-ms-blob-content-type", content.type);
    add_header(op, "x-ms-blob-content-encoding", content.encoding);
    add_header(op, "x-ms-blob-content-language", content.language);
    add_header(op, "x-ms-blob-content-disposition", content.disposition);
    add_header(op, "x-ms-blob-cache-control", content.cache_control);
    add_header(op, "x-ms-blob-content-md5", content.md5);
}

void add_conditions(Operation& op, const Conditions& conditions) {
    add_header(op, "If-Match", conditions.if_match);
    add_header(op, "If-None-Match", conditions.if_none_match);
    add_container_conditions(op, conditions);
}

void add_container_conditions(Operation& op, const Conditions& conditions) {
    add_header(op, "If-Modified-Since", conditions.if_modified_since);
    add_header(op, "If-Unmodified-Since", conditions.if_unmodified_since);
    add_header(op, "x-ms-lease-id", conditions.lease_id);
}

}  // namespace azlock::azure::parts
