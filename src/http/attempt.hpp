// The result of one attempt to send a request: an answer, an early answer, or an error and whether to try again.
#pragma once

#include "http/exchange.hpp"

namespace azlock::http {

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

// `reused`: the connection had served a request before.
[[nodiscard]] Attempt judge(Exchange::Outcome outcome, const Request& request, const DirectLine& line, bool reused);

}  // namespace azlock::http
