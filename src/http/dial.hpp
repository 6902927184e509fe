// A TCP connection to a host: name lookup and connect, both bounded by a deadline and a stop token.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/result.hpp"

namespace azlock::http {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

// Turns a host name or IP literal (IPv6 without brackets) into addresses in the order in which to try them. It may
// block for as long as it likes; dial() calls it on a thread of its own.
using Resolver = std::function<Result<std::vector<SocketAddress>>(const std::string& host, std::uint16_t port)>;

// The system's lookup (getaddrinfo). TransportFault::resolve where the name has no address.
[[nodiscard]] Result<std::vector<SocketAddress>> resolve_with_system(const std::string& host, std::uint16_t port);

// Tries the addresses one after the other; none but the last may use up more than a few seconds of the time left.
// The socket comes back non-blocking, close-on-exec and connected, but without connect() having been called on it
// again since (cpprest_transport.cpp depends on that, see Connection).
[[nodiscard]] Result<Fd> dial(const std::string& host, std::uint16_t port, const Resolver& resolver, Deadline deadline,
                              const std::stop_token& stop);

// "host:port", with brackets around an IPv6 address.
[[nodiscard]] std::string host_and_port(const std::string& host, std::uint16_t port);

// The errors that every step of an attempt can end with. Nothing was applied unless the caller says otherwise.
[[nodiscard]] Error transport_error(TransportFault fault, std::string message);
[[nodiscard]] Error stopped_error();
[[nodiscard]] Error timeout_error(std::string message);

}  // namespace azlock::http
