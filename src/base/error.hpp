// Errors as data: callers check the code, the status and the service code, never the message text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace azlock {

// One exit code each (cli/exit_code.cpp).
enum class ErrorCode {
    usage,          // a flag, argument or name that cannot be used
    config,         // account settings: connection string, key, config file
    auth,           // 401 or 403, or no usable credential
    data,           // checksum mismatch, source changed while it was read, malformed input
    input_missing,  // a local input is missing or unreadable
    io,             // local I/O
    unavailable,    // no (usable) answer from the service
    precondition,   // ETag mismatch, blob exists, append position, fencing token
    busy,           // a lease held by someone else
    not_found,      // container or blob
    not_modified,   // 304
    cancelled,      // stopped by a signal
    internal,       // a bug in azlock
};

// Stable lower-case word used in JSON output ("not_found").
std::string_view to_string(ErrorCode code);

// The kind of a transport error ("no answer"). `none` for every other error.
enum class TransportFault {
    none,
    resolve,      // the host name has no address
    connect,      // refused, unreachable, proxy unreachable
    tls,          // handshake failed: untrusted certificate, wrong host name (never retried)
    timeout,      // the per-try deadline passed
    reset,        // the connection broke before an answer was complete
    early_close,  // the server closed while we sent the body, and its answer could not be read
    malformed,    // the answer is not HTTP
    local_body,   // reading the request body or writing the response body failed on our side
    other,
};

struct Error {
    // Defined in error.cpp, so that not every `return fail(x.error())` repeats their code.
    Error();
    Error(const Error& other);
    Error(Error&& other) noexcept;
    Error& operator=(const Error& other);
    Error& operator=(Error&& other) noexcept;
    ~Error();

    ErrorCode code = ErrorCode::internal;
    std::string message;            // one line for people, no secret in it
    std::string operation;          // REST operation name, "Put Block"
    std::string target;             // container/blob, or a local path
    int http_status = 0;            // 0: no HTTP answer
    std::string service_code;       // x-ms-error-code, empty if there was none
    std::string request_id;         // x-ms-request-id
    std::string client_request_id;  // x-ms-client-request-id, the same for all attempts of one call
    std::string hint;               // what to do next, may be empty
    bool retryable = false;         // the same command may succeed later without any change
    TransportFault fault = TransportFault::none;
    bool lost = false;  // a lease or lock that the work needs is gone, and somebody else may have it now
    // True if the service may have carried out the request although no (usable) answer came. False if it certainly did
    // not.
    bool may_have_applied = false;
    // The Retry-After header of the answer that caused this error, in milliseconds.
    std::optional<std::int64_t> retry_after_ms;
};

// Makes an error that does not come from an answer of the service.
[[nodiscard]] Error make_error(ErrorCode code, std::string message, std::string hint = {});
// A stop was requested: "stopped by a signal".
[[nodiscard]] Error stopped_by_signal();
// The deadline of the whole command (--timeout) came before the end: unavailable. `meanwhile`: what azlock was doing,
// as "while it ran".
[[nodiscard]] Error deadline_passed(const std::string& meanwhile = {});

}  // namespace azlock
