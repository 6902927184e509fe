#include "http/proxy.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>

#include "base/encoding.hpp"
#include "base/text.hpp"
#include "http/dial.hpp"

namespace azlock::http {
namespace {

struct HostPort {
    std::string_view host;
    std::optional<std::uint16_t> port;
};

// "host", "host:port", "[v6]", "[v6]:port" and a bare "v6".
std::optional<HostPort> split_port(std::string_view text) {
    HostPort out;
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        out.host = text.substr(1, close - 1);
        port = text.substr(close + 1);
    } else if (const std::size_t colon = text.find(':');
               colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
        out.host = text;
    } else {
        out.host = text.substr(0, colon);
        port = text.substr(colon);
    }
    if (!port.empty()) {
        const auto number = port.starts_with(':') ? parse_u64(port.substr(1)) : std::nullopt;
        if (!number || *number == 0 || *number > 65535) return std::nullopt;
        out.port = static_cast<std::uint16_t>(*number);
    }
    return out;
}

struct Ip {
    std::array<unsigned char, 16> bytes{};
    unsigned bits = 0;  // 32 or 128
};

std::optional<Ip> parse_ip(std::string_view text) {
    Ip ip;
    if (text.find('\0') != std::string_view::npos) return std::nullopt;  // inet_pton() would not see what follows
    const std::string copy(text);
    if (::inet_pton(AF_INET, copy.c_str(), ip.bytes.data()) == 1) {
        ip.bits = 32;
    } else if (::inet_pton(AF_INET6, copy.c_str(), ip.bytes.data()) == 1) {
        ip.bits = 128;
    } else {
        return std::nullopt;
    }
    return ip;
}

bool same_prefix(const Ip& a, const Ip& b, std::uint64_t prefix) {
    if (a.bits != b.bits || prefix > a.bits) return false;
    const std::size_t whole = prefix / 8;
    if (std::memcmp(a.bytes.data(), b.bytes.data(), whole) != 0) return false;
    const unsigned rest = prefix % 8;
    return rest == 0 || (a.bytes[whole] >> (8 - rest)) == (b.bytes[whole] >> (8 - rest));
}

bool ip_matches(std::string_view entry, const Ip& host) {
    const std::size_t slash = entry.find('/');
    const auto network = parse_ip(entry.substr(0, slash));
    if (!network) return false;
    if (slash == std::string_view::npos) return same_prefix(*network, host, host.bits);
    const auto prefix = parse_u64(entry.substr(slash + 1));
    return prefix && same_prefix(*network, host, *prefix);
}

std::string_view without_dots(std::string_view name) {
    if (name.starts_with('.')) name.remove_prefix(1);
    if (name.ends_with('.')) name.remove_suffix(1);
    return name;
}

bool name_matches(std::string_view entry, std::string_view host) {
    entry = without_dots(entry);
    if (entry.empty() || host.size() < entry.size()) return false;
    if (!iequals(host.substr(host.size() - entry.size()), entry)) return false;
    return host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.';
}

}  // namespace

Result<Proxy> parse_proxy(std::string_view url, std::string_view variable) {
    const auto bad = [&](std::string_view why) {
        return fail(ErrorCode::config, std::string(variable) + ": " + std::string(why),
                    "expected http://[user:password@]host[:port]");
    };
    std::string_view rest = trim(url);
    if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
        if (!iequals(rest.substr(0, scheme), "http")) return bad("only http:// proxies are supported");
        rest.remove_prefix(scheme + 3);
    }
    rest = rest.substr(0, rest.find('/'));
    Proxy proxy;
    proxy.variable = variable;
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
        const auto user = percent_decode(rest.substr(0, at));
        if (!user) return bad("user or password is not percent-encoded correctly");
        proxy.authorization = Secret("Basic " + base64_encode(as_bytes(*user)));
        rest.remove_prefix(at + 1);
    }
    const auto where = split_port(rest);
    if (!where || where->host.empty() || printable(where->host) != where->host) return bad("malformed proxy address");
    proxy.host = where->host;
    proxy.port = where->port.value_or(proxy.port);
    return proxy;
}

bool no_proxy_matches(std::string_view no_proxy, std::string_view host, std::uint16_t port) {
    if (trim(no_proxy) == "*") return true;
    if (host.ends_with('.')) host.remove_suffix(1);
    const auto ip = parse_ip(host);
    while (!no_proxy.empty()) {
        const std::size_t end = std::min(no_proxy.find_first_of(", \t"), no_proxy.size());
        const std::string_view text = no_proxy.substr(0, end);
        no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
        const auto entry = split_port(text);
        if (!entry || (entry->port && *entry->port != port)) continue;
        if (ip ? ip_matches(entry->host, *ip) : name_matches(entry->host, host)) return true;
    }
    return false;
}

std::string Proxy::to_string() const {
    return host_and_port(host, port) + " (" + variable + ")";
}

Result<ProxyRules> ProxyRules::make(const ProxySettings& settings) {
    ProxyRules rules;
    rules.no_proxy_ = settings.no_proxy;
    const auto read = [](const std::string& value, std::string_view variable, std::optional<Proxy>& into) -> Status {
        if (trim(value).empty()) return {};
        auto proxy = parse_proxy(value, variable);
        if (!proxy) return fail(proxy.error());
        into = std::move(*proxy);
        return {};
    };
    if (auto status = read(settings.https_proxy, settings.https_variable, rules.https_); !status)
        return fail(status.error());
    if (auto status = read(settings.http_proxy, settings.http_variable, rules.http_); !status)
        return fail(status.error());
    return rules;
}

const Proxy* ProxyRules::find(const Origin& origin) const {
    const auto& proxy = origin.tls ? https_ : http_;
    if (!proxy || no_proxy_matches(no_proxy_, origin.host, origin.port)) return nullptr;
    return &*proxy;
}

}  // namespace azlock::http
