// Pieces that the request makers share.
#pragma once

#include "azure/requests.hpp"

namespace azlock::azure::parts {

// A request to a container or blob with nothing but method, origin and path.
[[nodiscard]] Operation start(std::string_view name, http::Method method, const Endpoint& endpoint,
                              const BlobAddress& address, int expected);

void add_query(Operation& op, std::string_view name, std::string value);
// Sets the header unless the value is empty.
void add_header(Operation& op, std::string_view name, std::string_view value);
void add_metadata(Operation& op, const Metadata& metadata);
void add_checksum(Operation& op, const Checksum& checksum);
// x-ms-blob-content-type and its kin.
void add_content(Operation& op, const ContentHeaders& content);
// All conditions and the lease id.
void add_conditions(Operation& op, const Conditions& conditions);
// Dates and lease id only: what container operations take.
void add_container_conditions(Operation& op, const Conditions& conditions);

// For writes that change the ETag: under If-Match of one ETag they happen once only. Nothing else makes them so: "*"
// and If-None-Match of an ETag are met again afterwards, and dates count whole seconds.
[[nodiscard]] inline Replay replay_of(const Conditions& conditions, Replay unguarded) {
    return !conditions.if_match.empty() && conditions.if_match != "*" ? Replay::guarded : unguarded;
}

// The same for the operations that honour If-None-Match: * [blob-rest 5]: Put Blob and Put Block List.
[[nodiscard]] inline Replay replay_of_create(const Conditions& conditions) {
    return conditions.if_none_match == "*" ? Replay::guarded : replay_of(conditions, Replay::ambiguous);
}

}  // namespace azlock::azure::parts
