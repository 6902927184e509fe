// Sends most of a request body directly to the connection, on the sender's own thread: a part of a file over plain http
// straight from the page cache, and always without the HTTP library's copies and thread switches.
#pragma once

#include <optional>
#include <span>

#include "base/clock.hpp"
#include "http/message.hpp"
#include "http/stall.hpp"
#include "http/tls_session.hpp"

namespace azlock::http {

// A connection that nobody else writes to during the call. Its socket is non-blocking.
struct DirectLine {
    int socket = -1;
    TlsSession* tls = nullptr;  // null: plain http
};

// Why an attempt was broken off.
enum class Interrupt { none, deadline, stall, slow, stop };

// If all members have these default values, everything was sent.
struct DirectOutcome {
    Interrupt interrupt = Interrupt::none;
    int code = 0;                // errno of a broken connection
    std::optional<Error> local;  // the error of reading the body
};

struct DirectBounds {
    Deadline deadline;
    std::chrono::milliseconds stall_timeout;  // 0: none
    const SendPace& pace;
    const std::stop_token& stop;
};

// Sends `body` except its last tail.size() bytes, and puts those into `tail`. The body must be longer than `tail`.
// After any other outcome the connection cannot be used any more. An exception of Body::read_at() passes through.
[[nodiscard]] DirectOutcome send_directly(const Body& body, std::span<std::byte> tail, const DirectLine& line,
                                          const DirectBounds& bounds);

}  // namespace azlock::http
