// One request and its answer in the types of cpprestsdk. An Exchange gets all that happens to them.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <cpprest/http_msg.h>

#include "http/exchange.hpp"
#include "http/proxy.hpp"

namespace azlock::http {

// The library reads a body in pieces of this size.
inline constexpr std::size_t kChunk = 256 * 1024;

// Thrown into the library when it is about to send a request again on a connection of its own.
struct NoSecondSend {};

// `proxy`: gets the request with its whole URL; null: none. `direct`: see TransportOptions.
[[nodiscard]] web::http::http_request make_message(const Request& request, const Proxy* proxy,
                                                   const std::shared_ptr<Exchange>& exchange, bool direct);

// Tells `exchange` about the answer. Asks every task for its outcome: an exception that nobody looks at ends the
// process.
void follow(const pplx::task<web::http::http_response>& answer, const std::shared_ptr<Exchange>& exchange);

// An exception of the library, which may be one of Boost's (thrown_error).
[[nodiscard]] Error library_error(const std::exception& thrown, const std::string& during);

}  // namespace azlock::http
