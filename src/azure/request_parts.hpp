// Helpers that the functions in requests.hpp share.
#pragma once

#include "azure/requests.hpp"

namespace azlock::azure::parts {

// A request to a container or blob: method, origin, path and, if the address has one, the snapshot.
[[nodiscard]] Operation start(std::string_view name, http::Method method, const Endpoint& endpoint,
                              const BlobAddress& address, int expected);

void add_query(Operation& op, std::string_view name, std::string value);
// Sets the header unless the value is empty.
void add_header(Operation& op, std::string_view name, std::string_view value);
void add_metadata(Operation& op, const Metadata& metadata);
void add_checksum(Operation& op, const Checksum& checksum);
// The headers x-ms-blob-content-* and x-ms-blob-cache-control.
void add_content(Operation& op, const ContentHeaders& content);
// All conditions and the lease id.
void add_conditions(Operation& op, const Conditions& conditions);
// The dates and the lease id only: container operations take nothing else.
void add_container_conditions(Operation& op, const Conditions& conditions);

// For writes that change the ETag. Under If-Match with one ETag they can happen only once. No other condition ensures
// that: after the write, "*" and If-None-Match with an ETag are met again, and dates count whole seconds.
[[nodiscard]] inline Replay replay_of(const Conditions& conditions, Replay otherwise) {
    return !conditions.if_match.empty() && conditions.if_match != "*" ? Replay::conditional : otherwise;
}

// The same for the operations that obey "If-None-Match: *" [Conditional headers]: Put Blob and Put Block List.
[[nodiscard]] inline Replay replay_of_create(const Conditions& conditions) {
    return conditions.if_none_match == "*" ? Replay::conditional : replay_of(conditions, Replay::ambiguous);
}

}  // namespace azlock::azure::parts
