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

// A status line must fit: a wrapped line cannot be cleared.
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
    return line(value.dump());
}

Status Output::bytes(ByteView data) {
    return write_full(STDOUT_FILENO, data, kStdout);
}

void Output::write_stderr(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    const std::string whole = std::exchange(status_shown_, false) ? std::string(kClearLine) + text : text;
    // If stderr is closed, the failure cannot be reported.
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
    write_stderr(value.dump() + "\n");
}

void Output::notice(std::string_view text) const {
    if (!options_.quiet && !options_.json) write_stderr("azlock: " + redact(text) + "\n");
}

void Output::error(const Error& error) const {
    write_stderr((options_.json ? error_json(error).dump() : "azlock: " + error_text(error)) + "\n");
}

Json error_json(const Error& error) {
    const auto text = [](const std::string& value) { return redact(printable(value)); };
    Json out;
    out["code"] = to_string(error.code);
    out["message"] = text(error.message);
    out["http_status"] = error.http_status == 0 ? Json() : Json(error.http_status);
    out["service_code"] = or_null(text(error.service_code));
    out["operation"] = or_null(error.operation);
    out["request_id"] = or_null(text(error.request_id));
    out["client_request_id"] = or_null(error.client_request_id);
    out["target"] = or_null(text(error.target));
    out["retryable"] = error.retryable;
    out["may_have_applied"] = error.may_have_applied;
    out["hint"] = or_null(text(error.hint));
    return out;
}

}  // namespace azlock::cli
