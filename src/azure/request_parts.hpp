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

// For writes that a repeat without a guard would do twice.
[[nodiscard]] inline Replay replay_of(const Conditions& conditions, Replay unguarded) {
    return conditions.guards_writes() ? Replay::guarded : unguarded;
}

}  // namespace azlock::azure::parts
