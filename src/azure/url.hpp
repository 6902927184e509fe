// Cuts an absolute http or https URL into its parts; decodes nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/message.hpp"

namespace azlock::azure {

struct Url {
    http::Origin origin;
    std::string path;   // as written, "" or starting with '/'
    std::string query;  // without '?', "" if there is none
};

// True if the text starts with http:// or https://, in any case.
[[nodiscard]] bool looks_like_url(std::string_view text);

// Error: usage; its text does not repeat the query, which may hold a secret.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

// The value of a query parameter, still encoded. `name` matches in upper or lower case.
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace azlock::azure
