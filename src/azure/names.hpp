// The service's rules for container, blob and metadata names, and for lease ids.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace azlock::azure {

// 3 to 63 of [a-z0-9-], starting and ending with a letter or digit, no "--"; or one of the service's own ($root, $web,
// $logs, $blobchangefeed) [blob-rest 0]. Error: usage.
[[nodiscard]] Status check_container_name(std::string_view name);

// 1 to 1024 characters of UTF-8, at most 254 path segments, no control characters (the service's listing could not
// return those) [blob-rest 0]. Error: usage.
[[nodiscard]] Status check_blob_name(std::string_view name);

// A C# identifier in ASCII. Error: usage.
[[nodiscard]] Status check_metadata_name(std::string_view name);

// Printable ASCII without blanks at the ends or runs of blanks: what every signer signs alike [blob-rest 1.2].
[[nodiscard]] Status check_metadata_value(std::string_view name, std::string_view value);

}  // namespace azlock::azure
