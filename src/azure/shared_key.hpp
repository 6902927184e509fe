// Shared Key for the Blob service: the string-to-sign as a pure function, and its signature [Shared Key].
#pragma once

#include <string>
#include <string_view>

#include "base/encoding.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// The text that the service will sign for this request. All headers must be set, including x-ms-date and x-ms-version.
// If x-ms-version is older than 2016-05-31 or 2015-02-21, the rules of that time are used.
[[nodiscard]] std::string string_to_sign(const http::Request& request, std::string_view account);

// Base64(HMAC-SHA256(key, text)).
[[nodiscard]] std::string sign(ByteView key, std::string_view text);

// The order in which the service sorts x-ms header names (lower case) [Shared Key]: '_' comes before
// digits, digits before letters. '-' counts only if the names are equal without it.
[[nodiscard]] bool header_name_less(std::string_view a, std::string_view b);

}  // namespace azlock::azure
