#include "cli/output/output.hpp"

#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

constexpr std::string_view kStdout = "standard output";

constexpr std::string_view kClearLine = "\r\x1b[K";

// A line that would wrap could not be taken back.
std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
    return size.ws_col;
}

}  // namespace

Status Output::line(std::string_view text) {
    return write_full(STDOUT_FILENO, as_bytes(std::string(text) + "\n"), kStdout);
}

Status Output::object(const Json& value) {
    return line(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Status Output::bytes(ByteView data) {
    return write_full(STDOUT_FILENO, data, kStdout);
}

void Output::write_stderr(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    const std::string whole = std::exchange(status_shown_, false) ? std::string(kClearLine) + text : text;
    // There is nobody left to tell when stderr is closed.
    (void)write_full(STDERR_FILENO, as_bytes(whole), "standard error");
}

void Output::status(std::string_view text) {
    const std::string line = redact(printable(text)).substr(0, terminal_columns() - 1);
    const std::lock_guard lock(mutex_);
    if (line.empty() && !status_shown_) return;
    status_shown_ = !line.empty();
    (void)write_full(STDERR_FILENO, as_bytes(std::string(kClearLine) + line), "standard error");
}

void Output::event(const Json& value) const {
    write_stderr(value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Output::notice(std::string_view text) const {
    if (!options_.quiet && !options_.json) write_stderr("azlock: " + redact(text) + "\n");
}

void Output::error(const Error& error) const {
    if (options_.json) {
        write_stderr(error_json(error).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    } else {
        write_stderr("azlock: " + error_text(error) + "\n");
    }
}

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

Json error_json(const Error& error) {
    const auto text = [](const std::string& value) { return redact(printable(value)); };
    Json out;
    out["code"] = to_string(error.code);
    out["message"] = text(error.message);
    out["http_status"] = error.http_status == 0 ? Json(nullptr) : Json(error.http_status);
    out["service_code"] = error.service_code.empty() ? Json(nullptr) : Json(text(error.service_code));
    out["operation"] = error.operation.empty() ? Json(nullptr) : Json(error.operation);
    out["request_id"] = error.request_id.empty() ? Json(nullptr) : Json(text(error.request_id));
    out["client_request_id"] = error.client_request_id.empty() ? Json(nullptr) : Json(error.client_request_id);
    out["target"] = error.target.empty() ? Json(nullptr) : Json(text(error.target));
    out["retryable"] = error.retryable;
    out["may_have_applied"] = error.may_have_applied;
    out["hint"] = error.hint.empty() ? Json(nullptr) : Json(text(error.hint));
    return out;
}

}  // namespace azlock::cli
