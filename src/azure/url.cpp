#include "azure/url.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::azure {
namespace {

bool is_host_name(std::string_view host) {
    if (host.empty() || host.size() > 253) return false;
    const std::string_view labels = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
    for (const std::string_view label : split(labels, '.')) {
        if (label.empty() || label.size() > 63) return false;
    }
    return std::all_of(host.begin(), host.end(),
                       [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; });
}

Result<http::Origin> parse_authority(std::string_view authority, bool tls) {
    http::Origin origin;
    origin.tls = tls;
    origin.port = tls ? 443 : 80;
    if (authority.find('@') != std::string_view::npos) {
        return fail(ErrorCode::usage, "a URL with user and password is not supported");
    }
    const bool six = authority.starts_with('[');
    const std::size_t end = six ? authority.find(']') : 0;
    if (end == std::string_view::npos) return fail(ErrorCode::usage, "the URL's IPv6 host lacks its ']'");
    const std::size_t colon = authority.find(':', end);
    origin.host = six ? std::string(authority.substr(1, end - 1)) : to_lower(authority.substr(0, colon));
    const bool six_ends = end + 1 == authority.size() || colon == end + 1;
    if (six && (!http::is_ip_address(origin.host) || origin.host.find(':') == std::string::npos || !six_ends)) {
        return fail(ErrorCode::usage, "the URL's host is not a valid IPv6 address");
    }
    if (colon != std::string_view::npos && colon + 1 == authority.size()) {
        return fail(ErrorCode::usage, "the URL lacks the port after ':'");
    }
    if (!six && !is_host_name(origin.host)) return fail(ErrorCode::usage, "the URL has no valid host name");
    if (colon != std::string_view::npos) {
        const auto port = parse_u64(authority.substr(colon + 1));
        if (!port || *port == 0 || *port > 65535) {
            return fail(ErrorCode::usage, "the URL's port is not a number from 1 to 65535");
        }
        origin.port = static_cast<std::uint16_t>(*port);
    }
    return origin;
}

}  // namespace

bool looks_like_url(std::string_view text) {
    return istarts_with(text, "http://") || istarts_with(text, "https://");
}

Result<Url> parse_url(std::string_view text) {
    if (!looks_like_url(text)) return fail(ErrorCode::usage, "a URL must start with https:// or http://");
    const bool tls = istarts_with(text, "https://");
    std::string_view rest = text.substr(tls ? 8 : 7);
    if (rest.find('#') != std::string_view::npos) {
        return fail(ErrorCode::usage, "the URL contains '#'", "write %23 for a '#' that belongs to the name");
    }
    Url url;
    if (const std::size_t question = rest.find('?'); question != std::string_view::npos) {
        url.query = rest.substr(question + 1);
        rest = rest.substr(0, question);
    }
    const std::size_t slash = rest.find('/');
    const auto origin = parse_authority(rest.substr(0, slash), tls);
    if (!origin) return fail(origin.error());
    url.origin = *origin;
    if (slash != std::string_view::npos) url.path = rest.substr(slash);
    return url;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
    for (const std::string_view pair : split(query, '&')) {
        const std::size_t equals = pair.find('=');
        if (iequals(pair.substr(0, equals), name)) {
            return std::string(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
        }
    }
    return std::nullopt;
}

}  // namespace azlock::azure
