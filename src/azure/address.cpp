#include "azure/address.hpp"

#include <algorithm>
#include <array>

#include "azure/names.hpp"
#include "azure/target_hint.hpp"
#include "azure/url.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

bool path_style(const http::Origin& origin) {
    return http::is_ip_address(origin.host) || origin.host.find('.') == std::string::npos;
}

// An endpoint and the rest of the path of a URL: empty, or starting with '/'.
struct Cut {
    Endpoint endpoint;
    std::string_view rest;
};

// Requests to a secondary location are signed with the name of the primary account.
std::string without_secondary(std::string account) {
    constexpr std::string_view kSuffix = "-secondary";
    if (account.ends_with(kSuffix)) account.resize(account.size() - kSuffix.size());
    return account;
}

Endpoint host_style(const http::Origin& origin) {
    return {origin, {}, without_secondary(origin.host.substr(0, origin.host.find('.')))};
}

// `path` begins with "/account".
Result<Cut> cut_path_style(const http::Origin& origin, std::string_view path) {
    if (path.size() < 2) {
        return fail(ErrorCode::usage, "the URL lacks the account: " + origin.to_string() + "/ACCOUNT/CONTAINER/...");
    }
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const auto account = percent_decode(path.substr(1, end - 1));
    if (!account || !check_account_name(*account)) {
        return fail(ErrorCode::usage, "the URL's account name is not valid");
    }
    // Encoded again: this text is sent, and every signer must see the same bytes.
    return Cut{{origin, "/" + percent_encode(*account), without_secondary(*account)}, path.substr(end)};
}

Result<Cut> cut_endpoint(const Url& url, const std::optional<Endpoint>& configured) {
    if (configured && configured->origin == url.origin &&
        (url.path == configured->base_path || url.path.starts_with(configured->base_path + "/"))) {
        return Cut{*configured, std::string_view(url.path).substr(configured->base_path.size())};
    }
    if (path_style(url.origin)) return cut_path_style(url.origin, url.path);
    return Cut{host_style(url.origin), url.path};
}

Status check_service(const http::Origin& origin) {
    constexpr std::string_view kOther = ".dfs.";
    if (origin.host.find(kOther) == std::string::npos) return {};
    std::string blob = origin.to_string();
    blob.replace(blob.find(kOther), kOther.size(), ".blob.");
    return fail(ErrorCode::usage, "the URL is that of the Data Lake endpoint",
                "azlock needs the Blob endpoint: " + blob + "/...");
}

Result<Target> with_names(std::string_view container, std::string_view blob, bool has_blob, Names names) {
    if (auto ok = check_container_name(container); !ok) return fail(ok.error());
    if (has_blob && !blob.empty()) {
        if (auto ok = names == Names::kept ? check_blob_name(blob) : check_listed_name(blob); !ok)
            return fail(ok.error());
    }
    Target target;
    target.address.container = container;
    target.address.blob = blob;
    target.address.unfinished = has_blob && blob.empty();
    return target;
}

Result<Target> parse_names(std::string_view text, Names names) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return with_names(text, {}, false, names);
    return with_names(text.substr(0, slash), text.substr(slash + 1), true, names);
}

// Parameters that change what a request does. They come into a TARGET if the URL was copied from a request.
bool changes_the_request(std::string_view name) {
    constexpr std::array<std::string_view, 8> kNames{"comp",   "restype", "versionid", "timeout",
                                                     "prefix", "marker",  "include",   "blockid"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Status take_query(const std::string& query, Target& target) {
    if (query.empty()) return {};
    const bool sas = query_value(query, "sig").has_value();
    std::string rest;
    for (const std::string_view pair : split(query, '&')) {
        const std::string name = to_lower(pair.substr(0, pair.find('=')));
        if (name == "snapshot") {
            const auto value = percent_decode(*query_value(query, "snapshot"));
            if (!value || value->empty()) return fail(ErrorCode::usage, "the URL's snapshot is not valid");
            target.address.snapshot = *value;
            continue;
        }
        if (!sas && !name.empty()) {
            return fail(ErrorCode::usage, "the URL has a query that is neither a SAS nor a snapshot",
                        "write %3F for a '?' that belongs to the name");
        }
        if (changes_the_request(name)) {
            return fail(ErrorCode::usage, "the URL's query has '" + name + "', which is not part of a SAS",
                        "remove it from the URL");
        }
        if (!pair.empty()) rest += (rest.empty() ? "" : "&") + std::string(pair);
    }
    if (sas) target.sas = Secret(std::move(rest));
    return {};
}

Result<Target> parse_url_target(std::string_view text, const std::optional<Endpoint>& configured, Names names) {
    const auto url = parse_url(text);
    if (!url) return fail(url.error());
    if (auto ok = check_service(url->origin); !ok) return fail(ok.error());
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
    auto target = with_names(*container, *blob, slash != std::string_view::npos, names);
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
    const Status ok = url ? check_service(url->origin) : Status(fail(url.error()));
    if (!ok) {
        Error error = ok.error();
        error.code = ErrorCode::config;
        return fail(std::move(error));
    }
    while (url->path.ends_with('/')) url->path.pop_back();
    const bool has_path = !url->path.empty() || path_style(url->origin);
    const auto cut = has_path ? cut_path_style(url->origin, url->path) : Cut{host_style(url->origin), {}};
    if (!cut || !cut->rest.empty() || !url->query.empty()) {
        return fail(ErrorCode::config,
                    "the URL is not of the form https://ACCOUNT.blob.SUFFIX or http://HOST:PORT/ACCOUNT");
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
           (origin.host.starts_with("127.") && http::is_ip_address(origin.host));
}

Status BlobAddress::must_be_blob() const {
    if (!is_container()) return {};
    return fail(ErrorCode::usage, "'" + to_string() + "' names no blob", "name it as CONTAINER/BLOB");
}

Status BlobAddress::must_be_one_or_other() const {
    if (!unfinished) return {};
    return fail(ErrorCode::usage, "'" + container + "/' has no blob's name behind the slash",
                "write " + container + " for the container, or " + container + "/BLOB for a blob in it");
}

Status BlobAddress::must_not_be_snapshot(const char* done) const {
    if (snapshot.empty()) return {};
    return fail(ErrorCode::usage, std::string("a snapshot cannot be ") + done, "name the blob itself");
}

std::string BlobAddress::to_string() const {
    return blob.empty() ? container : container + "/" + blob;
}

Result<Target> parse_target(std::string_view text, const std::optional<Endpoint>& configured, Names names) {
    if (text.empty()) return fail(ErrorCode::usage, "the target is empty", "name it as CONTAINER[/BLOB] or by its URL");
    if (looks_like_url(text)) return parse_url_target(text, configured, names);
    auto target = parse_names(istarts_with(text, "az://") ? text.substr(5) : text, names);
    if (const std::string hint = target ? std::string() : target_hint(text); !hint.empty()) target.error().hint = hint;
    return target;
}

std::string path_of(const Endpoint& endpoint, const BlobAddress& address) {
    std::string path = endpoint.base_path + "/" + percent_encode_path(address.container);
    if (address.blob.empty()) return path;
    for (const std::string_view segment : split(address.blob, '/')) {
        path += segment == "." ? "/%2E" : segment == ".." ? "/%2E%2E" : "/" + percent_encode_path(segment);
    }
    return path;
}

}  // namespace azlock::azure
