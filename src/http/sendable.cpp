#include "http/sendable.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::http {
namespace {

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

// RFC 3986, path and query.
bool is_target_character(char c) {
    return is_alnum(c) || std::string_view("-._~!$&'()*+,;=:@%/?").find(c) != std::string_view::npos;
}

}  // namespace

Status check_sendable(const Request& request) {
    for (const auto& [name, value] : request.headers) {
        if (name.empty()) return fail(ErrorCode::usage, "a header has no name");
        if (has_control(name) || has_control(value)) {
            return fail(ErrorCode::usage, "the header " + printable(name) + " has control characters in it");
        }
    }
    const std::string target = request.wire_target();
    if (target.starts_with('/') && !target.starts_with("//") &&
        std::all_of(target.begin(), target.end(), is_target_character)) {
        return {};
    }
    return fail(ErrorCode::usage, "not the path and query of a URL: " + printable(request.loggable_target()));
}

}  // namespace azlock::http
