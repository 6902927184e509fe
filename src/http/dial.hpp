// A TCP connection to a host: name lookup and connect, both with a deadline and a stop token.
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

// Turns a host name or IP literal (IPv6 without brackets) into addresses, in the order in which to try them. It may
// block for any time; dial() calls it on a separate thread.
using Resolver = std::function<Result<std::vector<SocketAddress>>(const std::string& host, std::uint16_t port)>;

// The lookup of the system (getaddrinfo). TransportFault::resolve if the name has no address.
[[nodiscard]] Result<std::vector<SocketAddress>> resolve_with_system(const std::string& host, std::uint16_t port);

// Tries the addresses one after the other. Each except the last gets at most a few seconds of the time left. The
// returned socket is non-blocking, close-on-exec and connected. connect() was called on it only once
// (the HTTP library depends on that, see Connection).
[[nodiscard]] Result<Fd> dial(const std::string& host, std::uint16_t port, const Resolver& resolver, Deadline deadline,
                              const std::stop_token& stop);

// "host:port", with brackets around an IPv6 address.
[[nodiscard]] std::string host_and_port(const std::string& host, std::uint16_t port);

}  // namespace azlock::http
