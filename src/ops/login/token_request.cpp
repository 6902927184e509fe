#include "ops/login/token_request.hpp"

#include <algorithm>

#include "azure/address.hpp"
#include "base/backoff.hpp"
#include "base/text.hpp"
#include "http/retry.hpp"
#include "http/sendable.hpp"
#include "http/transport_error.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestAnswer = 1024 * 1024;
constexpr std::chrono::seconds kLongestRetryAfter{60};

class ShortAnswer final : public http::BodySink {
  public:
    [[nodiscard]] bool begin(const http::Response& /*head*/) override {
        body.clear();
        return true;
    }
    [[nodiscard]] Status write(ByteView data) override {
        if (data.size() > kLongestAnswer - body.size()) return fail(ErrorCode::auth, "the answer is longer than 1 MiB");
        body.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }

    std::string body;
};

Result<http::Response> attempt(const TokenLine& line, http::Request& request, Deadline deadline,
                               const std::stop_token& stop) {
    const auto transport = line.transport();
    if (!transport) return fail(transport.error());
    ShortAnswer sink;
    request.sink = &sink;
    auto answer = (*transport)->send(request, deadline, stop);
    if (answer && answer->body.empty()) answer->body = std::move(sink.body);
    return answer;
}

bool is_on_link(const http::Origin& origin) {
    if (azure::is_loopback(origin)) return true;
    return http::is_ip_address(origin.host) &&
           (origin.host.starts_with("169.254.") || istarts_with(origin.host, "fe80:"));
}

}  // namespace

bool is_near(const http::Origin& origin) {
    const std::string& host = origin.host;
    if (is_on_link(origin)) return true;
    if (!http::is_ip_address(host)) return false;
    if (host.starts_with("172.")) {
        const auto second = parse_u64(host.substr(4, host.find('.', 4) - 4));
        return second && *second >= 16 && *second <= 31;
    }
    return host.starts_with("10.") || host.starts_with("192.168.");
}

Result<azure::Url> read_endpoint(const std::string& text, const std::string& variable) {
    auto url = azure::parse_url(text);
    if (!url) return fail(ErrorCode::config, variable + " is not a URL", url.error().message);
    if (url->path.empty()) url->path = "/";
    http::Request request;
    request.path = url->path;
    if (!http::check_sendable(request)) {
        return fail(ErrorCode::config, variable + " is not a URL", "its path has a character that no URL can have");
    }
    return url;
}

Status set_secret_header(http::Request& request, const char* name, const std::string& scheme, const Secret& secret,
                         const std::string& variable) {
    const std::string& value = secret.reveal();
    if (!std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < 0x7F; })) {
        return fail(ErrorCode::config, variable + " has a line break, a blank or another character that no token has",
                    "copy the token again, whole and alone");
    }
    request.headers.set(name, scheme + value);
    return {};
}

bool may_pass(int status, const TokenRetries& retries) {
    return http::is_transient_status(status) || (status > 500 && status <= 511) ||
           (status == 404 && retries.missing_passes) || (status == 410 && retries.gone_for.count() > 0);
}

Result<http::Response> send_token_request(const TokenLine& line, http::Request request, const std::string& source,
                                          const TokenRetries& retries, Deadline deadline, const std::stop_token& stop) {
    request.past_proxy = is_on_link(request.origin) || (!request.origin.tls && is_near(request.origin));
    request.headers.set("Accept", "application/json");
    const BootTime start = line.clock.now();
    const auto try_time = std::min(retries.try_time, line.limits.try_time.value_or(retries.try_time));
    auto pause = retries.first;
    for (int number = 1;; ++number) {
        const Deadline until = std::min(deadline, line.clock.after(try_time));
        auto answer = attempt(line, request, until, stop);
        const bool passes = answer ? may_pass(answer->status, retries) : http::is_transient(answer.error());
        const bool gone = answer && answer->status == 410 && line.clock.now() - start < retries.gone_for;
        std::chrono::nanoseconds wait = jittered(pause, 0.5, 1.0, line.random);
        if (answer) {
            const auto asked = http::retry_after(answer->headers, line.clock.wall()).value_or(std::chrono::seconds(0));
            wait = std::max(wait, std::min<std::chrono::nanoseconds>(asked, kLongestRetryAfter));
        }
        const bool allowed = !line.limits.attempts || number < *line.limits.attempts;
        const bool wanted = passes && (number < retries.attempts || gone);
        const bool again = allowed && wanted && line.clock.after(wait) < deadline;
        if (!again) {
            if (answer) return answer;
            Error error = answer.error();
            error.message = source + " gave no token: " + error.message;
            return fail(std::move(error));
        }
        pause = std::min(pause * 2, std::chrono::milliseconds(10'000));
        if (!line.clock.wait_until(line.clock.after(wait), stop)) return fail(stopped_by_signal());
    }
}

Error refusal_of(const http::Response& answer, const std::string& source, const TokenRetries& retries) {
    Error error = token_refusal(answer, source);
    if (may_pass(answer.status, retries)) {
        error.code = ErrorCode::unavailable;
        error.fault = TransportFault::other;
        error.retryable = true;
    }
    return error;
}

std::string encode_form(const Form& form) {
    std::string out;
    for (const auto& [name, value] : form) {
        out += (out.empty() ? "" : "&") + percent_encode(name) + "=" + percent_encode(value);
    }
    return out;
}

}  // namespace azlock::ops
