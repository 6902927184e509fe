#include "azure/pipeline.hpp"

#include <algorithm>

#include "azure/login_refusal.hpp"
#include "azure/refusals.hpp"
#include "azure/sas_refusal.hpp"
#include "azure/service_error.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/within_limits.hpp"
#include "http/transport_error.hpp"

namespace azlock::azure {
namespace {

// An attempt gets this many times the time that it would take at the rate measured lately.
constexpr std::uint64_t kRateMargin = 16;
// Only bodies of at least this size are measured: the time of shorter ones is mostly latency.
constexpr std::uint64_t kTellingBody = 1024 * 1024;

// An attempt that begins has this time at least.
constexpr std::chrono::milliseconds kLeastQuiet{1};

// A value with a line break would add another header. Bytes beyond ASCII are signed and read in different ways.
Status check_headers(const Operation& op) {
    for (const auto& [name, value] : op.request.headers) {
        for (const char c : value) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
                return fail(ErrorCode::usage, "the value for " + name + " contains a control character");
            }
            if (static_cast<unsigned char>(c) > 0x7F) {
                return fail(ErrorCode::usage, "the value for " + name + " contains a character that is not ASCII",
                            "encode it (for a file name in Content-Disposition: filename*=UTF-8''...%C3%BC...)");
            }
        }
    }
    return {};
}

void add_context(const Operation& op, Error& error) {
    if (error.operation.empty()) error.operation = op.name;
    if (error.target.empty()) error.target = op.target;
    if (error.client_request_id.empty()) error.client_request_id = op.request.headers.get("x-ms-client-request-id");
}

// The error of the last attempt says more than the deadline alone.
Error too_late(Error error) {
    error.message += " (the deadline passed)";
    return error;
}

// If the connection breaks in the first attempt, the second one follows at once: most often the connection was idle and
// the server had closed it.
bool retry_at_once(const Error& error, int attempt) {
    return attempt == 1 && (error.fault == TransportFault::reset || error.fault == TransportFault::early_close);
}

}  // namespace

Pipeline::Pipeline(http::Transport& transport, Clock& clock, Random& random, Credential credential,
                   PipelineOptions options, Observer* observer)
    : transport_(transport),
      clock_(clock),
      random_(random),
      credential_(std::move(credential)),
      options_(std::move(options)),
      observer_(observer) {}

std::chrono::milliseconds Pipeline::quiet_timeout(const Operation& op) const {
    const std::uint64_t bytes = op.request.content_length() + op.expected_download;
    const std::uint64_t rate = std::max({options_.slowest_rate, measured_rate_ / kRateMargin, std::uint64_t{1}});
    return options_.try_timeout + std::chrono::seconds(bytes / rate);
}

bool Pipeline::may_repeat(const Error& error, int attempts, BootTime first_failure) const {
    if (attempts < options_.retry.max_attempts) return true;
    if (!options_.retry.retry_for) return false;
    // A name that never resolved is most likely wrong, and a peer that does not speak HTTP is not the service.
    const bool name_may_be_wrong = error.fault == TransportFault::resolve && !answered_;
    const bool outage = error.http_status != 0 ? http::is_transient_status(error.http_status)
                                               : error.fault != TransportFault::malformed && !name_may_be_wrong;
    return outage && clock_.now() - first_failure < *options_.retry.retry_for;
}

void Pipeline::learn_rate(std::uint64_t bytes, std::chrono::nanoseconds took) {
    if (bytes < kTellingBody) return;
    const double seconds = std::max(std::chrono::duration<double>(took).count(), 1e-3);
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds);
    const std::uint64_t known = measured_rate_;
    measured_rate_ = known == 0 ? rate : (7 * (known / 8) + rate / 8);
}

Result<http::Response> Pipeline::attempt_once(Operation& op, const Call& call, int attempt, Deadline patient_until) {
    op.request.headers.set("x-ms-date", format_http_date(clock_.wall()));
    if (auto ok = credential_.authorize(op.request, std::min(call.deadline, patient_until), call.stop); !ok) {
        return fail(ok.error());
    }
    if (observer_ != nullptr) observer_->sending(op, attempt);
    const BootTime start = clock_.now();
    op.request.quiet_timeout = std::min(
        quiet_timeout(op), std::max(std::chrono::ceil<std::chrono::milliseconds>(patient_until - start), kLeastQuiet));
    // Without a body and without a long answer, nothing but the wait for the answer takes time.
    const bool may_be_long = op.request.content_length() > 0 || op.request.method == http::Method::get;
    const Deadline answer_by = clock_.after(op.request.quiet_timeout);
    const Deadline deadline = std::min(call.deadline, may_be_long ? std::max(answer_by, patient_until) : answer_by);
    auto answer = within_limits([&] { return transport_.send(op.request, deadline, call.stop); });
    if (answer && answer->status < 300) learn_rate(op.request.content_length(), clock_.now() - start);
    // The line may have become slower: the next attempt gets its time from slowest_rate again.
    if (!answer && answer.error().fault == TransportFault::timeout) measured_rate_ = 0;
    if (answer && observer_ != nullptr) observer_->answered(op, *answer, clock_.now() - start);
    return answer;
}

Error Pipeline::refused(const Operation& op, const http::Response& response, bool& renewable) {
    if (response.status == op.expected) return malformed_answer(op, response, "no x-ms headers");
    const bool login = credential_.kind() == Credential::Kind::login;
    if (response.status == 403 && !login && observer_ != nullptr) {
        const std::string theirs = read_error_body(response).authentication_detail;
        if (!theirs.empty()) observer_->signature_refused(credential_.string_to_sign(op.request), redact(theirs));
    }
    Error error = to_error(op, response, clock_.wall());
    if (login) {
        const auto facts = credential_.token_facts();
        renewable = explain_login_refusal(op, response, facts ? facts->tenant : std::string(), error);
    }
    return error;
}

// If the server does not read a body to its end, its answer can be lost with the connection. A request without a body
// to the same blob may find the reason: no permission, or no container.
std::optional<Error> Pipeline::probe(const Operation& op, const Call& call, Deadline patient_until) {
    Operation head;
    head.name = "Get Blob Properties";
    head.target = op.target;
    head.request.method = http::Method::head;
    head.request.origin = op.request.origin;
    head.request.path = op.request.path;
    for (const char* name : {"x-ms-version", "User-Agent", "x-ms-client-request-id"}) {
        head.request.headers.set(name, std::string(op.request.headers.get(name)));
    }
    const auto answer = attempt_once(head, call, 1, patient_until);
    if (!answer || answer->status < 400) return std::nullopt;
    Error error = to_error(op, *answer, clock_.wall());
    const auto sas = credential_.sas_terms();
    const bool only_head = sas && lacks_permission(error) && may_permit(*sas, op);  // a SAS may write and not read
    const bool telling = (error.code == ErrorCode::auth && !only_head) || is_missing_container(error);
    return telling ? std::optional(error) : std::nullopt;
}

Result<http::Response> Pipeline::send(Operation op, const Call& call) {
    op.request.headers.set("x-ms-version", options_.api_version);
    op.request.headers.set("User-Agent", options_.user_agent);
    op.request.headers.set("x-ms-client-request-id", random_.uuid());
    op.request.stall_timeout = options_.stall_timeout;
    op.request.longest_send = call.longest_send;
    if (call.server_timeout) op.request.query.emplace_back("timeout", std::to_string(*call.server_timeout));
    if (auto ok = check_headers(op); !ok) {
        Error error = ok.error();
        add_context(op, error);
        return fail(std::move(error));
    }
    const bool write = is_write(op);
    std::optional<Error> last;
    bool uncertain = false;
    bool renewed = false;
    int early_closes = 0;
    std::optional<BootTime> first_failure;
    const Deadline patient_until = options_.retry.patience ? clock_.after(*options_.retry.patience) : kNoDeadline;

    for (int attempt = 1;; ++attempt) {
        Error error;
        bool transient = false;
        bool with_new_token = false;
        if (call.stop.stop_requested()) {
            error = stopped_by_signal();
        } else if (clock_.now() >= call.deadline) {
            error = last ? too_late(std::move(*last))
                         : http::timeout_error("the deadline passed before the service answered");
        } else if (auto answer = attempt_once(op, call, attempt, patient_until); answer) {
            uncertain = uncertain || answer->times_sent > 1;
            answered_ = answered_ || is_from_service(*answer);
            if (answer->status == op.expected && is_from_service(*answer)) {
                return answer;
            }
            bool renewable = false;
            error = refused(op, *answer, renewable);
            with_new_token = renewable && !renewed;
            if (with_new_token) credential_.renew_after(op.request);
            renewed = renewed || with_new_token;
            transient = with_new_token || is_transient_answer(*answer, error.service_code);
        } else {
            error = answer.error();
            transient = http::is_transient(error);
            if (error.fault == TransportFault::early_close && ++early_closes == 2) {
                if (auto reason = probe(op, call, patient_until)) {
                    error = std::move(*reason);
                    transient = false;
                }
            }
        }
        add_context(op, error);
        uncertain = uncertain || error.may_have_applied;
        error.may_have_applied = write && uncertain;
        if (observer_ != nullptr) observer_->failed(op, error);
        if (!transient || (op.replay == Replay::ambiguous && error.may_have_applied)) return fail(std::move(error));
        error.retryable = true;
        if (call.longest_send.count() > 0 && error.fault == TransportFault::timeout) return fail(std::move(error));
        if (!with_new_token) first_failure = first_failure.value_or(clock_.now());
        if (!with_new_token && !may_repeat(error, attempt, *first_failure)) {
            error.message += " (gave up after " + std::to_string(attempt) + (attempt == 1 ? " attempt)" : " attempts)");
            return fail(std::move(error));
        }

        std::chrono::milliseconds wait{0};
        if (!with_new_token && !retry_at_once(error, attempt)) {
            std::optional<std::chrono::milliseconds> asked;
            if (error.retry_after_ms) asked = std::chrono::milliseconds(*error.retry_after_ms);
            wait = http::backoff(options_.retry, attempt, asked, random_);
            if (options_.retry.retry_for && attempt >= options_.retry.max_attempts) {
                // One attempt is made at the end of the time, or when the service wants it.
                const auto left = *options_.retry.retry_for - (clock_.now() - *first_failure);
                const auto at_most = std::chrono::ceil<std::chrono::milliseconds>(left);
                wait = std::min(wait, std::max(at_most, std::min(asked.value_or(wait.zero()), wait)));
            }
        }
        const BootTime resume = clock_.after(wait);
        if (resume >= call.deadline) {
            return fail(too_late(std::move(error)));
        }
        if (resume >= patient_until) {
            error.message += " (gave up after " + format_duration(*options_.retry.patience) + ")";
            return fail(std::move(error));
        }
        if (observer_ != nullptr) observer_->retrying(op, error, wait);
        if (!clock_.wait_until(resume, call.stop)) {
            Error stopped = stopped_by_signal();
            add_context(op, stopped);
            stopped.may_have_applied = error.may_have_applied;
            return fail(std::move(stopped));
        }
        last = std::move(error);
    }
}

}  // namespace azlock::azure
