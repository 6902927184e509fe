#include "azure/address.hpp"

#include "azure/names.hpp"
#include "azure/url.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

bool path_style(const http::Origin& origin) {
    return is_ip_address(origin.host) || origin.host.find('.') == std::string::npos;
}

// Cuts "/account" off a path-style URL's path; the rest starts with '/' or is empty.
struct Cut {
    Endpoint endpoint;
    std::string_view rest;
};

Result<Cut> cut_endpoint(const Url& url, const std::optional<Endpoint>& configured) {
    Cut cut;
    cut.rest = url.path;
    if (configured && configured->origin == url.origin && !configured->base_path.empty() &&
        (url.path == configured->base_path || url.path.starts_with(configured->base_path + "/"))) {
        cut.endpoint = *configured;
        cut.rest.remove_prefix(configured->base_path.size());
        return cut;
    }
    cut.endpoint.origin = url.origin;
    if (!path_style(url.origin)) {
        std::string account = url.origin.host.substr(0, url.origin.host.find('.'));
        if (account.ends_with("-secondary")) account.resize(account.size() - std::string_view("-secondary").size());
        cut.endpoint.account = std::move(account);
        return cut;
    }
    if (cut.rest.size() < 2) {
        return fail(ErrorCode::usage,
                    "the URL lacks the account: " + url.origin.to_string() + "/ACCOUNT/CONTAINER/...");
    }
    const std::size_t end = std::min(cut.rest.find('/', 1), cut.rest.size());
    const auto account = percent_decode(cut.rest.substr(1, end - 1));
    if (!account || account->empty()) return fail(ErrorCode::usage, "the URL's account name is not valid");
    cut.endpoint.account = *account;
    cut.endpoint.base_path = std::string(cut.rest.substr(0, end));
    cut.rest.remove_prefix(end);
    return cut;
}

Result<Target> with_names(std::string_view container, std::string_view blob, bool has_blob) {
    if (auto ok = check_container_name(container); !ok) return fail(ok.error());
    if (has_blob && !blob.empty()) {
        if (auto ok = check_blob_name(blob); !ok) return fail(ok.error());
    }
    Target target;
    target.address.container = container;
    target.address.blob = blob;
    return target;
}

Result<Target> parse_names(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return with_names(text, {}, false);
    return with_names(text.substr(0, slash), text.substr(slash + 1), true);
}

Status take_query(const std::string& query, Target& target) {
    if (query.empty()) return {};
    const bool sas = query_value(query, "sig").has_value();
    for (const std::string_view pair : split(query, '&')) {
        const std::string name = to_lower(pair.substr(0, pair.find('=')));
        if (name == "snapshot") {
            const auto value = percent_decode(*query_value(query, "snapshot"));
            if (!value || value->empty()) return fail(ErrorCode::usage, "the URL's snapshot is not valid");
            target.address.snapshot = *value;
        } else if (!sas && !name.empty()) {
            return fail(ErrorCode::usage, "the URL has a query that is neither a SAS nor a snapshot",
                        "write %3F for a '?' that belongs to the name");
        }
    }
    if (sas) {
        std::string rest;
        for (const std::string_view pair : split(query, '&')) {
            if (pair.empty() || iequals(pair.substr(0, pair.find('=')), "snapshot")) continue;
            if (!rest.empty()) rest += '&';
            rest += pair;
        }
        target.sas = Secret(std::move(rest));
    }
    return {};
}

Result<Target> parse_url_target(std::string_view text, const std::optional<Endpoint>& configured) {
    const auto url = parse_url(text);
    if (!url) return fail(url.error());
    const auto cut = cut_endpoint(*url, configured);
    if (!cut) return fail(cut.error());
    std::string_view rest = cut->rest;
    if (rest.starts_with('/')) rest.remove_prefix(1);
    const std::size_t slash = rest.find('/');
    const auto container = percent_decode(rest.substr(0, slash));
    const auto blob = percent_decode(slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1));
    if (!container || !blob) {
        return fail(ErrorCode::usage, "the URL has a '%' that is not followed by two hex digits",
                    "write %25 for a '%' that belongs to the name");
    }
    if (container->empty()) return fail(ErrorCode::usage, "the URL names no container");
    auto target = with_names(*container, *blob, true);
    if (!target) return target;
    target->endpoint = cut->endpoint;
    if (auto ok = take_query(url->query, *target); !ok) return fail(ok.error());
    return target;
}

}  // namespace

std::string Endpoint::to_string() const {
    return origin.to_string() + base_path;
}

Result<Endpoint> parse_endpoint(std::string_view text) {
    auto url = parse_url(text);
    if (!url) {
        Error error = url.error();
        error.code = ErrorCode::config;
        error.message = "blob endpoint: " + error.message;
        return fail(std::move(error));
    }
    while (url->path.ends_with('/')) url->path.pop_back();
    auto cut = cut_endpoint(*url, {});
    if (!cut || !cut->rest.empty() || !url->query.empty()) {
        return fail(ErrorCode::config,
                    "blob endpoint: not of the form https://ACCOUNT.blob.SUFFIX or http://HOST:PORT/ACCOUNT");
    }
    return cut->endpoint;
}

Endpoint default_endpoint(std::string_view account, std::string_view suffix, bool tls) {
    Endpoint endpoint;
    endpoint.account = account;
    endpoint.origin.tls = tls;
    endpoint.origin.port = tls ? 443 : 80;
    endpoint.origin.host = to_lower(std::string(account) + ".blob." + std::string(suffix));
    return endpoint;
}

bool is_loopback(const http::Origin& origin) {
    return origin.host == "localhost" || origin.host == "::1" || origin.host.ends_with(".localhost") ||
           (origin.host.starts_with("127.") && is_ip_address(origin.host));
}

std::string BlobAddress::to_string() const {
    return blob.empty() ? container : container + "/" + blob;
}

Result<Target> parse_target(std::string_view text, const std::optional<Endpoint>& configured) {
    if (text.empty()) return fail(ErrorCode::usage, "the target is empty", "name it as CONTAINER[/BLOB] or by its URL");
    if (looks_like_url(text)) return parse_url_target(text, configured);
    if (istarts_with(text, "az://")) return parse_names(text.substr(5));
    return parse_names(text);
}

std::string path_of(const Endpoint& endpoint, const BlobAddress& address) {
    std::string path = endpoint.base_path + "/" + percent_encode_path(address.container);
    if (!address.blob.empty()) path += "/" + percent_encode_path(address.blob);
    return path;
}

}  // namespace azlock::azure
