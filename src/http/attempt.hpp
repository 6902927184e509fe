// What became of one attempt to send a request: an answer, an early answer, or an error and whether to try again.
#pragma once

#include "http/exchange.hpp"
#include "http/message.hpp"
#include "http/tls_session.hpp"

namespace azlock::http {

// The connection that the attempt was made on.
struct AttemptPeer {
    int socket = -1;
    TlsSession* tls = nullptr;  // null for plain http
    bool reused = false;        // it had served a request before
};

struct Attempt {
    Result<Response> result;
    // The server had closed the pooled connection, and to send the request once more does no harm: it cannot have been
    // carried out, or changes nothing (GET, HEAD).
    bool stale = false;
};

// The library's code for "it was about to send the request a second time on a connection of its own".
inline constexpr int kVetoedRepeat = -1;
// Its code for anything that is not an HTTP or system error.
inline constexpr int kUnknownFailure = -2;

[[nodiscard]] Attempt judge(Exchange::Outcome outcome, const Request& request, const AttemptPeer& peer);

}  // namespace azlock::http
