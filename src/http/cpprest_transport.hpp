// Transport over cpprestsdk; see docs/adr/0002-cpprestsdk-behind-one-file.md.
#pragma once

#include <memory>

#include "http/transport.hpp"
#include "http/transport_options.hpp"

namespace azlock::http {

// The first call in a process starts the library's thread pool. Before it, block the signals that a signalfd must see,
// and do every fork() without exec: a child has none of these threads. Every socket is close-on-exec. Call
// init_crypto() (base/digest.hpp) first, and end the process with _exit() after flushing, as main() does.
// Fails with ErrorCode::config if ca_file cannot be read or holds no certificate, or if a proxy URL is malformed.
//
// What a caller may want to know beyond the contract of Transport:
//  * The library never sends a request twice. If a pooled connection was closed before the request, this is noticed
//    before the send. If it breaks during the request, there is one more try on a new connection: if the request cannot
//    have been carried out (times_sent stays 1), or for GET and HEAD (times_sent 2). If the dead connection took all of
//    a write, this is an error (reset, may_have_applied).
//  * An answer that came before the whole request was sent is read from the socket after the library has given up, with
//    and without TLS. It is lost only if the server's own reset overtook it: TransportFault::early_close. Such a
//    request cannot have been applied; a request without a body (HEAD) may find the reason.
//  * read_at() and write() may run on the library's threads. send() waits for a running call, even after a deadline.
[[nodiscard]] Result<std::unique_ptr<Transport>> make_cpprest_transport(const TransportOptions& options);

}  // namespace azlock::http
