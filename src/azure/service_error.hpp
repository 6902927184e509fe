// Turns an answer that is not success into an Error; the one place that knows what the service's codes mean.
#pragma once

#include <string>
#include <string_view>

#include "azure/requests.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// What an error answer says about itself: header first, then the XML body [blob-rest 6.1].
struct ServiceErrorBody {
    std::string code;
    std::string message;                // first line only
    std::string authentication_detail;  // AuthenticationErrorDetail: what the service signed
    std::string header_name;            // of the header that was refused
};
// Never fails: what cannot be read is empty.
[[nodiscard]] ServiceErrorBody read_error_body(const http::Response& response);

// False for answers of something in between (proxy, captive portal): none of the service's headers is there.
[[nodiscard]] bool is_from_service(const http::Response& response);

// The kind of failure that a status and service code mean.
[[nodiscard]] ErrorCode classify(int status, std::string_view service_code);

// Whether another attempt may get another answer.
[[nodiscard]] bool is_transient_answer(const http::Response& response, std::string_view service_code);

// `now` is the local wall time at which the answer came, for a clock that is off.
[[nodiscard]] Error to_error(const Operation& op, const http::Response& response, WallTime now);

// An answer whose status is right but whose content is not what the service sends.
[[nodiscard]] Error malformed_answer(const Operation& op, const http::Response& response, std::string_view what);

}  // namespace azlock::azure
