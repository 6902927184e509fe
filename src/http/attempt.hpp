// The result of one attempt to send a request: an answer, an early answer, or an error and whether to try again.
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
    // The server had closed the pooled connection, and a second send does no harm: the request cannot have been carried
    // out, or it changes nothing (GET, HEAD).
    bool stale = false;
};

// Our code for "the library was about to send the request a second time on a connection of its own".
inline constexpr int kVetoedRepeat = -1;
// Our code for anything that is not an HTTP or system error.
inline constexpr int kUnknownFailure = -2;

[[nodiscard]] Attempt judge(Exchange::Outcome outcome, const Request& request, const AttemptPeer& peer);

}  // namespace azlock::http
