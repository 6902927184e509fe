// Checks whether a request can be sent as it is. Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

namespace azlock::http {

// ErrorCode::usage if a header has no name or has control characters, or if the target is not the path and query of a
// URL. (It must already be percent-encoded and begin with one slash: two would be read as a host.) The error shows no
// secret.
[[nodiscard]] Status check_sendable(const Request& request);

}  // namespace azlock::http
