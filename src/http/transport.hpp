// The one way to the network.
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
    //  * Every HTTP answer, whatever its status, is a Response, also one that came before the body was sent whole.
    //    Redirects are answers: they are not followed.
    //  * "No answer" is an Error with `fault` set; `may_have_applied` is false where the server cannot have got the
    //    whole request (no connection, body not sent to its end), true where it may have.
    //  * Returns soon after `deadline` (TransportFault::timeout) and soon after a stop request (ErrorCode::cancelled),
    //    also while a name is being resolved.
    //  * A stale pooled connection is not reported where the request can be sent again on a new one without harm: it
    //    cannot have been carried out, or is a GET or HEAD (then Response::times_sent says so). A write that may have
    //    been carried out is not sent again but is an error with `may_have_applied`.
    //  * The headers go out as given; Host and Content-Length are added, nothing else that a signature covers.
    [[nodiscard]] virtual Result<Response> send(const Request& request, Deadline deadline, std::stop_token stop) = 0;
};

}  // namespace azlock::http
