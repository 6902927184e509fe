// The interface that sends all requests.
#pragma once

#include <stop_token>

#include "base/clock.hpp"
#include "http/message.hpp"

namespace azlock::http {

// Thread-safe: any number of threads may be inside send() at once.
class Transport {
  public:
    virtual ~Transport() = default;

    // Sends the request and waits for the whole answer.
    //  * Every HTTP answer is a Response, whatever its status, even if it came before the whole body was sent.
    //    Redirects are answers: they are not followed.
    //  * "No answer" is an Error with `fault` set. `may_have_applied` is false if the server cannot have got the whole
    //    request (no connection, or not the whole body was sent), else true.
    //  * Returns soon after `deadline` (TransportFault::timeout) and soon after a stop request (ErrorCode::cancelled),
    //    even during a name lookup.
    //  * A stale pooled connection is not reported if a second send on a new connection does no harm: the request
    //    cannot have been carried out, or it is a GET or HEAD (then Response::times_sent says so). A write that may
    //    have been carried out is not sent again: it is an error with `may_have_applied`.
    //  * The headers are sent as given. Host and Content-Length are added, and nothing else that a signature covers.
    [[nodiscard]] virtual Result<Response> send(const Request& request, Deadline deadline, std::stop_token stop) = 0;
};

}  // namespace azlock::http
