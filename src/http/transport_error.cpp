#include "http/transport_error.hpp"

#include <utility>

namespace azlock::http {

Error transport_error(TransportFault fault, std::string message) {
    Error error = make_error(ErrorCode::unavailable, std::move(message));
    error.fault = fault;
    error.retryable = true;
    return error;
}

Error stopped_error() {
    return make_error(ErrorCode::cancelled, "stopped before an answer arrived");
}

Error timeout_error(std::string message) {
    return transport_error(TransportFault::timeout, std::move(message));
}

Error local_body_error(Error error) {
    error.fault = TransportFault::local_body;
    return error;
}

Error short_body_error() {
    return make_error(ErrorCode::data, "the data to send is shorter than announced");
}

}  // namespace azlock::http
