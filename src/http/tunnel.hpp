// A CONNECT tunnel through an HTTP proxy, opened on a connection to the proxy.
#pragma once

#include <stop_token>

#include "base/clock.hpp"
#include "http/proxy.hpp"

namespace azlock::http {

// After success, every byte on `fd` belongs to the tunnelled connection. A refusal is TransportFault::connect; its
// message names the proxy and the status.
[[nodiscard]] Status open_tunnel(int fd, const Proxy& proxy, const Origin& origin, Deadline deadline,
                                 const std::stop_token& stop);

}  // namespace azlock::http
