#include "cli/output/output.hpp"

#include <cerrno>
#include <chrono>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error_text.hpp"
#include "base/file.hpp"
#include "base/quantity.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "cli/output/terminal_lines.hpp"
#include "os/say_at_once.hpp"
#include "os/started.hpp"

namespace azlock::cli {
namespace {

constexpr std::string_view kStdout = "standard output";

constexpr std::chrono::milliseconds kPatience{2'000};
constexpr std::chrono::milliseconds kNoPatience{0};

// Whether the last byte of stderr ended a line can be seen in a regular file only. Elsewhere an empty line is better
// than two things in one line.
bool may_be_within_a_line() {
    struct stat info {};
    if (::fstat(STDERR_FILENO, &info) != 0) return false;
    if (!S_ISREG(info.st_mode)) return true;
    if (info.st_size == 0) return false;
    const Fd file(::open("/proc/self/fd/2", O_RDONLY | O_CLOEXEC));
    char last = 0;
    return !file || ::pread(file.get(), &last, 1, info.st_size - 1) != 1 || last != '\n';
}

}  // namespace

Status Output::ready() const {
    // A closed stream and a full device refuse even no bytes at all.
    if (::write(STDOUT_FILENO, "", 0) == 0 || errno == EAGAIN || errno == EINTR) return {};
    return fail(file_error(ErrorCode::io, "write", kStdout, errno));
}

Status Output::line(std::string_view text) {
    const Status printed = write_full(STDOUT_FILENO, as_bytes(std::string(text) + "\n"), kStdout);
    if (!printed) untold_ = std::string(text);
    return printed;
}

Status Output::etag(const std::string& etag) {
    if (!etag.empty()) return line(etag);
    untold_ = std::string();
    return fail(ErrorCode::unavailable, "the ETag of what was written is not known",
                "'azlock show' prints the ETag that the blob has now");
}

Status Output::object(const Json& value) {
    return line(value.dump());
}

Status Output::bytes(ByteView data) {
    return write_full(STDOUT_FILENO, data, kStdout);
}

void Output::write_stderr(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    const std::string whole = std::exchange(status_shown_, false) ? std::string(kClearLines) + text : text;
    put(whole);
}

void Output::put(const std::string& text) const {
    if (must_go_on_) return put_or_drop(text);
    // If stderr is closed, the failure cannot be reported.
    (void)write_full(STDERR_FILENO, as_bytes(text), "standard error");
}

void Output::put_or_drop(const std::string& text) const {
    std::string news;
    if (dropped_ > 0) {
        const std::string what = format_count(static_cast<std::uint64_t>(dropped_), "message was", "messages were") +
                                 " dropped, because nobody read standard error";
        news = (cut_off_ ? "\n" : "") +
               (options_.json ? Json{{"event", "messages_dropped"}, {"count", dropped_}, {"message", what}}.dump()
                              : "azlock: " + what) +
               "\n";
    }
    const std::string whole = news + text;
    const std::size_t written = os::say_within(whole, dropped_ > 0 ? kNoPatience : kPatience);
    if (written > 0) cut_off_ = whole[written - 1] != '\n';
    if (written > 0 && written >= news.size()) dropped_ = 0;
    if (written < whole.size()) ++dropped_;
}

void Output::status(const std::vector<std::string>& lines) {
    const std::lock_guard lock(mutex_);
    if (lines.empty() && !status_shown_) return;
    status_shown_ = !lines.empty();
    put(status_shown_ ? replaceable(lines) : std::string(kClearLines));
}

void Output::event(const Json& value) const {
    write_json(value);
}

void Output::write_json(const Json& value) const {
    const bool within = os::command_was_started() ? may_be_within_a_line() : os::passed_on_part_of_a_line();
    write_stderr((within ? "\n" : "") + value.dump() + "\n");
    os::note_passed_on(true);
}

void Output::notice(std::string_view text) const {
    if (!options_.quiet && !options_.json) write_stderr("azlock: " + redact(text) + "\n");
}

void Output::error(const Error& error) const {
    if (options_.json) {
        write_json(error_json(error));
    } else {
        write_stderr((options_.color ? "\x1b[1;31mazlock:\x1b[0m " : "azlock: ") + error_text(error) + "\n");
    }
}

void Output::error_after_change(const Error& error) const {
    Error whole = error;
    whole.message = "the change is made, but " + error.message;
    whole.may_have_applied = true;
    const std::string result = untold_.value_or("");
    if (options_.json) {
        Json out = error_json(whole);
        out["done"] = true;
        out["result"] = or_null(redact(printable(result)));
        write_json(out);
        return;
    }
    if (!result.empty()) whole.message += "; the result is: " + printable(result);
    this->error(whole);
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
