// Turns an answer that is not a success into an Error, with the meaning of the codes of the service.
#pragma once

#include <string>
#include <string_view>

#include "azure/requests.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// The details of an error answer: from the headers first, then from the XML body [Status and error codes].
struct ServiceErrorBody {
    std::string code;
    std::string message;                // first line only
    std::string authentication_detail;  // AuthenticationErrorDetail: what the service signed
    std::string header_name;            // the header that was refused
};
// Never fails: a detail that cannot be read is empty.
[[nodiscard]] ServiceErrorBody read_error_body(const http::Response& response);

// False if something in between answered (proxy, captive portal): the answer has none of the service's headers.
[[nodiscard]] bool is_from_service(const http::Response& response);

// The kind of failure that a status and service code mean.
[[nodiscard]] ErrorCode classify(int status, std::string_view service_code);

// True if another attempt may get another answer.
[[nodiscard]] bool is_transient_answer(const http::Response& response, std::string_view service_code);

// `now`: the local wall time when the answer came. It shows whether this machine's clock is wrong.
[[nodiscard]] Error to_error(const Operation& op, const http::Response& response, WallTime now);

// The error for an answer that does not come from Blob Storage; `what` is the reason.
[[nodiscard]] Error malformed_answer(const Operation& op, const http::Response& response, std::string_view what);

}  // namespace azlock::azure
