// What was probably meant by a TARGET that names no container.
#pragma once

#include <string>
#include <string_view>

namespace azlock::azure {

// For the mistakes of people who come from other tools: "/box/x", "s3://box/x", "az:/box/x", "./file". Empty: it is
// none of them.
[[nodiscard]] std::string target_hint(std::string_view text);

}  // namespace azlock::azure
