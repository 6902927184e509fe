#include "base/error.hpp"

#include <utility>

namespace azlock {

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::usage: return "usage";
        case ErrorCode::config: return "config";
        case ErrorCode::auth: return "auth";
        case ErrorCode::data: return "data";
        case ErrorCode::input_missing: return "input_missing";
        case ErrorCode::io: return "io";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::precondition: return "precondition";
        case ErrorCode::busy: return "busy";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::not_modified: return "not_modified";
        case ErrorCode::cancelled: return "cancelled";
        case ErrorCode::internal: return "internal";
    }
    return "internal";
}

Error::Error() = default;
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

Error make_error(ErrorCode code, std::string message, std::string hint) {
    Error error;
    error.code = code;
    error.message = std::move(message);
    error.hint = std::move(hint);
    return error;
}

Error stopped_by_signal() {
    return make_error(ErrorCode::cancelled, "stopped by a signal");
}

Error deadline_passed(const std::string& meanwhile) {
    return make_error(ErrorCode::unavailable,
                      "the deadline passed (--timeout)" + (meanwhile.empty() ? meanwhile : " " + meanwhile));
}

}  // namespace azlock
