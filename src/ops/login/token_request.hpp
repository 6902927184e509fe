// Sends a request for a token: never past a redirect, never link-local things through a proxy, never more than 1 MiB
// back, and again after a failure that may pass.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "azure/url.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "http/transport.hpp"

namespace azlock::ops {

// What the user allows each token request, whatever its source would take. nullopt: the user has not said it.
struct TokenLimits {
    std::optional<std::chrono::milliseconds> try_time;  // --try-timeout
    std::optional<int> attempts;                        // --retries, and the first one
};

// What token sources work with. Clock and random generator must outlive them, and so must the transport that is made.
struct TokenLine {
    std::function<Result<http::Transport*>()> transport;  // made when the first request is due
    Clock& clock;
    Random& random;
    TokenLimits limits = {};
};

// How often a request is sent, and which answers are worth another attempt.
struct TokenRetries {
    int attempts = 3;
    std::chrono::milliseconds first{1000};       // the pause before the second attempt, doubled for each one after it
    std::chrono::milliseconds try_time{30'000};  // for one attempt
    bool missing_passes = false;                 // 404 passes: the service is starting
    std::chrono::milliseconds gone_for{0};       // 410 passes within this time: the service is being updated
};

// This machine, an address of its own link, or one of a private network (RFC 1918). A plain http request goes there
// past the proxies. An https request goes past them only to this machine and to its link.
[[nodiscard]] bool is_near(const http::Origin& origin);

// The URL of an endpoint, from this variable; its path is "/" if there is none. Error (config), without the value: it
// is none, or cannot be sent.
[[nodiscard]] Result<azure::Url> read_endpoint(const std::string& text, const std::string& variable);
// Sets a header to a secret. Error (config), without the value: it has a character that no header can have.
[[nodiscard]] Status set_secret_header(http::Request& request, const char* name, const std::string& scheme,
                                       const Secret& secret, const std::string& variable);

// An answer, whatever its status; one worth another attempt only if no attempt is left. `source` is for messages.
// Errors: unavailable (no answer), cancelled.
[[nodiscard]] Result<http::Response> send_token_request(const TokenLine& line, http::Request request,
                                                        const std::string& source, const TokenRetries& retries,
                                                        Deadline deadline, const std::stop_token& stop);

// True if the answer's status is one that may pass. Such a refusal gets TransportFault::other, so that the request that
// needs the token is tried again later.
[[nodiscard]] bool may_pass(int status, const TokenRetries& retries);

// The error for an answer that is not 200; with a fault if it may pass.
[[nodiscard]] Error refusal_of(const http::Response& answer, const std::string& source, const TokenRetries& retries);

// name=value&name=value, percent-encoded: the body of a form and a query.
using Form = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::string encode_form(const Form& form);

}  // namespace azlock::ops
