// Sends the bulk of a request body straight to the connection, on the sender's own thread: out of the page cache where
// the body is part of a file, and without the HTTP library's copies and hops between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "http/message.hpp"
#include "http/tls_session.hpp"
#include "http/wait.hpp"

namespace azlock::http {

// A connection that nobody else writes to during the call. Its socket does not block.
struct DirectLine {
    int socket = -1;
    TlsSession* tls = nullptr;  // null: plain
};

struct DirectOutcome {
    enum class End { sent, broken, stopped, deadline, stalled, local };
    End end = End::sent;
    int code = 0;                // errno of a broken connection
    std::optional<Error> local;  // what reading the body ended with
};

struct DirectBounds {
    Deadline deadline;
    std::chrono::milliseconds stall_timeout;  // 0: none
    const std::stop_token& stop;
};

// Sends all of `body` but its last tail.size() bytes, and leaves those in `tail`; the body must be longer. On any end
// but `sent` the connection is of no further use. An exception of Body::read_at() passes through.
[[nodiscard]] DirectOutcome send_directly(const Body& body, std::span<std::byte> tail, const DirectLine& line,
                                          const DirectBounds& bounds);

}  // namespace azlock::http
