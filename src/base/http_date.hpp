// RFC 1123 dates ("Fri, 26 Jun 2015 23:39:12 GMT"), as the service sends and expects them, and ISO 8601 for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace azlock {

[[nodiscard]] std::string format_http_date(WallTime time);
// Reads the RFC 1123 form only, years 1970 to 2261. nullopt for anything else. Never throws, whatever the text.
[[nodiscard]] std::optional<WallTime> parse_http_date(std::string_view text);

// "2015-06-26T23:39:12Z", to the second.
[[nodiscard]] std::string format_iso8601(WallTime time);
// Reads that form, and any other of RFC 3339 in upper case ("2015-06-27T01:39:12.5+02:00"). A blank may replace the T,
// seconds may be left out, and a date alone means its midnight in UTC. Fractions of a second are dropped. nullopt for
// anything else.
[[nodiscard]] std::optional<WallTime> parse_iso8601(std::string_view text);

}  // namespace azlock
