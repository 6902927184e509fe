// Which proxy a request goes through, from what the environment says. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

namespace azlock::http {

struct Proxy {
    std::string host;  // IPv6 without brackets
    std::uint16_t port = 1080;
    Secret authorization;  // value of Proxy-Authorization; empty: none
    std::string variable;  // where it is set, for messages

    [[nodiscard]] std::string to_string() const;  // "host:port (https_proxy)"
};

// "[http://][user:password@]host[:port]". The default port is 1080, as in curl(1). ErrorCode::config for everything
// else (https and SOCKS proxies are not supported). The error names `variable` but does not repeat the value, which may
// hold a password.
[[nodiscard]] Result<Proxy> parse_proxy(std::string_view url, std::string_view variable);

// The rules of curl: a list separated by commas or blanks. "*" alone matches every host. "example.com" and
// ".example.com" match that host and all hosts below it. "host:port" limits an entry to a port. IP addresses must be
// equal, or lie in a CIDR block.
[[nodiscard]] bool no_proxy_matches(std::string_view no_proxy, std::string_view host, std::uint16_t port);

// What the environment says. An empty value counts as not set.
struct ProxySettings {
    std::string https_proxy;
    std::string http_proxy;
    std::string no_proxy;
    // The variables that have the values.
    std::string https_variable = "HTTPS_PROXY";
    std::string http_variable = "http_proxy";
};

class ProxyRules {
  public:
    ProxyRules() = default;
    [[nodiscard]] static Result<ProxyRules> make(const ProxySettings& settings);
    // nullptr: connect directly.
    [[nodiscard]] const Proxy* find(const Origin& origin) const;

  private:
    std::optional<Proxy> https_;
    std::optional<Proxy> http_;
    std::string no_proxy_;
};

}  // namespace azlock::http
