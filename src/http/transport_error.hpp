// The errors of an attempt that got no usable answer. may_have_applied is false unless the caller sets it.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/system_limit.hpp"

namespace azlock::http {

[[nodiscard]] inline Error transport_error(TransportFault fault, std::string message) {
    Error error = make_error(ErrorCode::unavailable, std::move(message));
    error.fault = fault;
    error.retryable = true;
    return error;
}
[[nodiscard]] inline Error stopped_error() {
    return make_error(ErrorCode::cancelled, "stopped before an answer arrived");
}
[[nodiscard]] inline Error timeout_error(std::string message) {
    return transport_error(TransportFault::timeout, std::move(message));
}
// The answer cannot be understood. A repeat would get the same one, so it is not retryable.
[[nodiscard]] inline Error malformed_error(std::string message) {
    Error error = transport_error(TransportFault::malformed, std::move(message));
    error.retryable = false;
    return error;
}
// An exception of our own code or of the HTTP library. Its text may contain a SAS, so it is left out.
[[nodiscard]] inline Error thrown_error(const std::exception& thrown, const std::string& during) {
    if (auto limit = limit_error(thrown)) return *limit;
    return make_error(ErrorCode::internal, during + " threw an exception");
}

// The same error with TransportFault::local_body: our side ended the attempt.
[[nodiscard]] inline Error local_body_error(Error error) {
    error.fault = TransportFault::local_body;
    return error;
}
// The body ended before its size().
[[nodiscard]] inline Error short_body_error() {
    return make_error(ErrorCode::data, "the data to send is shorter than announced");
}

}  // namespace azlock::http
