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
    // Looks host names up. Empty: the system's resolver.
    Resolver resolver;
};

// The first call in a process sets up the library's thread pool: block the signals that a signalfd shall see before it.
// Fails with ErrorCode::config where ca_file cannot be read or holds no certificate, or a proxy URL is malformed.
[[nodiscard]] Result<std::unique_ptr<Transport>> make_cpprest_transport(const TransportOptions& options);

// The library's version, for --version.
[[nodiscard]] std::string cpprest_version();

}  // namespace azlock::http
