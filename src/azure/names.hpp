// The service's rules for container, blob and metadata names, and for lease ids.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace azlock::azure {

// 3 to 63 of [a-z0-9-], starting and ending with a letter or digit, no "--"; or one of the service's own ($root, $web,
// $logs, $blobchangefeed) [Naming]. Error: usage.
[[nodiscard]] Status check_container_name(std::string_view name);

// A name that a listing can have: 1 to 1024 characters of UTF-8, at most 254 path segments, no control characters, no
// backslash (the service reads it as '/') [Naming]. Error: usage.
[[nodiscard]] Status check_listed_name(std::string_view name);

// The same for a name that the service keeps as it is. It may drop "." and "..", and a '.' at the end of a segment.
// Such a name could silently mean another blob, so it is refused. Error: usage.
[[nodiscard]] Status check_blob_name(std::string_view name);

// True if a segment ends in '.'.
[[nodiscard]] bool has_dot_at_end(std::string_view name);

// 3 to 24 lower-case letters and digits [Naming]: an account of the service, whose host is ACCOUNT.blob.SUFFIX. Error:
// usage, without the name: it may be a secret in the wrong place.
[[nodiscard]] Status check_service_account(std::string_view name);

// 1 to 64 letters, digits, '-', '_' and '.': they fit into a host, a path and the Authorization header. That is what
// emulators have behind an endpoint of their own. Error: usage, without the name.
[[nodiscard]] Status check_account_name(std::string_view name);

// A C# identifier in ASCII. Error: usage.
[[nodiscard]] Status check_metadata_name(std::string_view name);

// Printable ASCII without blanks at the ends or runs of blanks: all signers sign such a value in the same way
// [Shared Key]. Error: usage.
[[nodiscard]] Status check_metadata_value(std::string_view name, std::string_view value);

// Reads a GUID in any of its usual spellings (with or without hyphens, braces, parentheses, in upper or lower case).
// Returns it as the service returns lease ids: lower case with hyphens. Error: usage.
[[nodiscard]] Result<std::string> canonical_lease_id(std::string_view text);

}  // namespace azlock::azure
