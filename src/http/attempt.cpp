#include "http/attempt.hpp"

#include <array>
#include <utility>

#include <sys/socket.h>

#include "http/dial.hpp"
#include "http/response_head.hpp"
#include "http/transport_error.hpp"

namespace azlock::http {
namespace {

// Reads what the kernel has received and the library has not read. Linux keeps it even after a reset and a shutdown.
std::string received_rest(int socket) {
    std::string out;
    std::array<char, 16 * 1024> buffer;
    while (out.size() < Exchange::kLongestBody) {
        const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got <= 0) break;
        out.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return out;
}

// The answer of a server that answered and closed before it had read the whole request.
std::optional<Result<Response>> early_answer(const Request& request, const DirectLine& line) {
    std::string raw = received_rest(line.socket);
    if (line.tls != nullptr) raw = line.tls->decrypt_rest(raw);
    auto answer = parse_raw_answer(raw, request.method == Method::head);
    // The status of a refusal is useful even if its text is incomplete. Any other incomplete answer is no answer.
    if (!answer || (!answer->complete && answer->response.status < 300)) return std::nullopt;
    Response& response = answer->response;
    std::string body = std::exchange(response.body, {});
    if (request.sink == nullptr || !request.sink->begin(response)) {
        response.body = std::move(body);
    } else if (auto written = request.sink->write(as_bytes(body)); !written) {
        return fail(local_body_error(written.error()));
    }
    return std::move(response);
}

Error handshake_error(const TlsSession& tls, const std::string& where, int code) {
    constexpr int kLargestErrno = 4095;  // OpenSSL's codes are far above those of the system
    const std::string problem = tls.certificate_problem();
    if (problem.empty() && code <= kLargestErrno) {
        return transport_error(TransportFault::reset, where + " broke the connection during the TLS handshake");
    }
    Error error = transport_error(TransportFault::tls, "the TLS handshake with " + where + " failed");
    error.retryable = false;
    if (problem.empty()) {
        error.hint = "does the server speak TLS on this port?";
    } else {
        error.message = "the certificate of " + where + " is not accepted: " + problem;
        error.hint = "check the host name; give your own root certificate with --ca-file FILE or SSL_CERT_FILE";
    }
    return error;
}

Error answer_error(const Exchange::Outcome& outcome, const std::string& where) {
    if (outcome.code == 0) {
        return transport_error(TransportFault::malformed, "the answer of " + where + " is not HTTP");
    }
    if (outcome.code == kUnknownFailure) {
        return transport_error(TransportFault::other, "the HTTP library failed on a request to " + where);
    }
    if (outcome.answer_begun) {
        return transport_error(TransportFault::reset, where + " broke the connection in the middle of its answer");
    }
    if (!outcome.body_taken) {
        return transport_error(TransportFault::early_close,
                               where + " closed the connection while the request was being sent");
    }
    return transport_error(TransportFault::reset, where + " closed the connection without an answer");
}

Error error_of(const Exchange::Outcome& outcome, const std::string& where, const TlsSession* broken_handshake) {
    if (outcome.local) return *outcome.local;
    switch (outcome.interrupt) {
        case Interrupt::stop: return stopped_error();
        case Interrupt::deadline: return timeout_error("no answer from " + where + " in the time allowed");
        case Interrupt::stall:
            return timeout_error("the connection to " + where + " stalled: no byte moved in the time allowed");
        case Interrupt::slow:
            return timeout_error("the connection to " + where + " is slow: the data would take too long");
        case Interrupt::none: break;
    }
    if (broken_handshake != nullptr) return handshake_error(*broken_handshake, where, outcome.code);
    return answer_error(outcome, where);
}

}  // namespace

Attempt judge(Exchange::Outcome outcome, const Request& request, const DirectLine& line, bool reused) {
    if (outcome.complete) return {std::move(outcome.response), false};
    const bool broken = outcome.interrupt == Interrupt::none && !outcome.local;
    // While the library may still use the connection, we cannot read from it, so we assume the worst.
    if (outcome.released && !outcome.answer_begun && !outcome.local && outcome.interrupt != Interrupt::stop) {
        if (auto answer = early_answer(request, line)) {
            if (*answer) (*answer)->early = !outcome.body_taken;
            return {std::move(*answer), false};
        }
    }
    const bool handshake_failed = outcome.released && line.tls != nullptr && !line.tls->handshake_done();
    Error error = error_of(outcome, host_and_port(request.origin.host, request.origin.port),
                           handshake_failed ? line.tls : nullptr);
    error.may_have_applied =
        outcome.body_taken && outcome.interrupt != Interrupt::slow && (outcome.head_written || !outcome.released);
    const bool repeatable = !error.may_have_applied || request.method == Method::get || request.method == Method::head;
    const bool unanswered = broken && !outcome.answer_begun && outcome.code != 0 && outcome.code != kUnknownFailure;
    return {fail(std::move(error)), reused && unanswered && repeatable};
}

}  // namespace azlock::http
