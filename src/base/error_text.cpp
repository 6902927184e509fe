#include "base/error_text.hpp"

#include "base/secret.hpp"
#include "base/text.hpp"

namespace azlock {

std::string error_text(const Error& error) {
    std::string context;
    const auto add = [&](const std::string& part) {
        if (part.empty()) return;
        if (!context.empty()) context += ", ";
        context += part;
    };
    add(error.operation);
    if (error.http_status != 0) {
        add("HTTP " + std::to_string(error.http_status) + (error.service_code.empty() ? "" : " " + error.service_code));
    }
    if (!error.request_id.empty()) add("request id " + error.request_id);

    std::string out;
    if (!error.target.empty() && error.message.find(error.target) == std::string::npos) out = error.target + ": ";
    out += error.message;
    if (!context.empty()) out += " (" + context + ")";
    if (!error.hint.empty()) out += "; " + error.hint;
    return redact(printable(out));
}

}  // namespace azlock
