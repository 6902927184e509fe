// The errors of an attempt that got no usable answer. may_have_applied is false unless the caller sets it.
#pragma once

#include <string>

#include "base/error.hpp"

namespace azlock::http {

[[nodiscard]] Error transport_error(TransportFault fault, std::string message);
[[nodiscard]] Error stopped_error();
[[nodiscard]] Error timeout_error(std::string message);
// The same error with TransportFault::local_body: our side ended the attempt.
[[nodiscard]] Error local_body_error(Error error);
// The body ended before its size().
[[nodiscard]] Error short_body_error();

}  // namespace azlock::http
