// Transport over cpprestsdk. Its .cpp is the only file that includes <cpprest/...>; ../../docs/adr says why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/dial.hpp"
#include "http/transport.hpp"

namespace azlock::http {

struct TransportOptions {
    // PEM file with additional trusted roots (--ca-file). Empty: none. SSL_CERT_FILE adds to the system's roots too.
    std::string ca_file;
    // Values of HTTPS_PROXY, HTTP_PROXY, NO_PROXY (or their lower-case twins), empty where unset. A proxy's user
    // and password in the URL are used and never logged.
    std::string https_proxy;
    std::string http_proxy;
    std::string no_proxy;
    // Threads of the HTTP library, 1 to 8. 0: chosen from the number of processors.
    int io_threads = 0;
    // The sender's thread sends all but the end of a body of more than 256 KiB itself, past the library: a fraction of
    // the cost. It leans on how the library counts what it sends (see BodyStream).
    bool direct = true;
    // Looks host names up. Empty: the system's resolver.
    Resolver resolver;
};

// The first call in a process sets up the library's thread pool: block the signals that a signalfd shall see before it,
// and fork (without exec) before it, for a child has none of these threads. Every socket is close-on-exec. Call
// init_crypto() (base/digest.hpp) first and end the process with _exit() after flushing, as main() does.
// Fails with ErrorCode::config where ca_file cannot be read or holds no certificate, or a proxy URL is malformed.
//
// What a caller may want to know beyond the contract of Transport:
//  * The library never gets to send a request twice. A pooled connection that was closed before the request is noticed
//    beforehand; one that dies under it is followed by one more try on a new connection where the request cannot have
//    been carried out (times_sent stays 1), or for GET and HEAD (times_sent 2). A write that the dead connection took
//    whole is an error (reset, may_have_applied).
//  * An answer that came before the request was sent whole is read from the socket after the library has given up, with
//    and without TLS. It is lost only where the server's own reset overtook it: TransportFault::early_close, which
//    cannot have applied, and which a request without a body (HEAD) may explain.
//  * read_at() and write() run on the library's threads; send() waits for the one that is running, also past a
//  deadline.
[[nodiscard]] Result<std::unique_ptr<Transport>> make_cpprest_transport(const TransportOptions& options);

// The library's version, for --version.
[[nodiscard]] std::string cpprest_version();

}  // namespace azlock::http
