// What a transport is told when it is made.
#pragma once

#include <string>

#include "http/dial.hpp"
#include "http/proxy.hpp"

namespace azlock::http {

struct TransportOptions {
    // PEM file with additional trusted roots (--ca-file). Empty: none. SSL_CERT_FILE adds to the system's roots too.
    std::string ca_file;
    // The user and password in a proxy URL are used and never logged.
    ProxySettings proxies;
    // Threads of the HTTP library, 1 to 8. 0: chosen from the number of processors.
    int io_threads = 0;
    // For a body of more than 256 KiB: the sender's thread sends all of it except the end, past the library. This costs
    // much less CPU. It depends on how the library counts what it sends (see BodyStream).
    bool direct = true;
    // Looks host names up. Empty: the system's resolver.
    Resolver resolver;
};

}  // namespace azlock::http
