// Reads connection strings, with the full grammar [Configure connection strings].
#pragma once

#include <string>
#include <string_view>

#include "azure/address.hpp"

namespace azlock::azure {

struct ConnectionSettings {
    Endpoint endpoint;
    std::string account;  // empty with a SAS or anonymous access to explicit endpoints
    Secret key;           // Base64 as given, already checked to be decodable
    Secret sas;           // without a leading '?'
};

// Keys may be in upper or lower case; values may contain '='. An error (config) names the wrong key, never its value.
[[nodiscard]] Result<ConnectionSettings> parse_connection_string(std::string_view text);

// The emulator's well-known account at http://127.0.0.1:10000/devstoreaccount1.
[[nodiscard]] ConnectionSettings development_storage();

}  // namespace azlock::azure
