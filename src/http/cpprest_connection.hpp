// A connection that cpprestsdk uses, and what the library needs before the first one.
#pragma once

#include <memory>
#include <string>

#include "base/file.hpp"
#include "http/exchange.hpp"
#include "http/proxy.hpp"
#include "http/tls_trust.hpp"

namespace azlock::http {

// One TCP connection with its own client of the library, so that the library's pool never holds another connection. The
// library always calls connect() itself. It gets a socket that was connected by a non-blocking connect(), with no
// connect() call since then. On such a socket Linux lets connect() succeed once, for any address.
class Connection {
  public:
    // `via_proxy`: the socket leads to a proxy that gets whole URLs.
    Connection(Fd socket, const Origin& origin, bool via_proxy, std::shared_ptr<const TrustStore> trust);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] const std::shared_ptr<const Fd>& socket() const;
    [[nodiscard]] DirectLine line() const;
    // False if the server has closed the connection or has sent something that nobody asked for.
    [[nodiscard]] bool usable() const;
    // Gives the request to the library, which then tells `exchange` what happens. An exception: the library refuses it.
    // `proxy` and `direct` as in make_message().
    void start(const Request& request, const Proxy* proxy, const std::shared_ptr<Exchange>& exchange, bool direct);

    bool reused = false;  // it has served a request

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Starts the library's threads at the first call. 0: as many as suit the number of processors.
void start_library(int threads);

// The library's version, for --version.
[[nodiscard]] std::string cpprest_version();

}  // namespace azlock::http
