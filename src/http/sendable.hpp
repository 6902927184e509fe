// Whether a request can be put onto the wire as it stands. Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

namespace azlock::http {

// ErrorCode::usage where a header would break out of its line, or the target is not the path and query of a URL (it
// must be percent-encoded already, and begin with one slash: two would be read as a host). Shows no secret.
[[nodiscard]] Status check_sendable(const Request& request);

}  // namespace azlock::http
