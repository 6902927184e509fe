// Simple and slow on purpose: takes the steps of the rule one after the other.
#include "support/fake_auth.hpp"

#include <algorithm>
#include <map>

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "support/fake_sas.hpp"

namespace azlock::test::fake {
namespace {

constexpr auto kMaxSkew = std::chrono::minutes(15);

// The service sorts header names by culture rules: '-' has no weight, '_' comes before digits, digits before letters.
std::string collation_key(std::string_view lower_name) {
    std::string key;
    for (const char c : lower_name) {
        if (c == '_') key += '\x01';
        if (c != '_' && c != '-') key += c;
    }
    return key;
}

// Blanks and line breaks outside quotes become one space; at both ends they are removed.
std::string folded(std::string_view value) {
    std::string out;
    bool in_quotes = false;
    bool pending = false;
    for (const char c : trim(value)) {
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (blank && !in_quotes) {
            pending = true;
            continue;
        }
        if (pending) out += ' ';
        pending = false;
        if (c == '"') in_quotes = !in_quotes;
        out += c;
    }
    return out;
}

std::string standard_value(const http::Request& request, const std::string& name) {
    if (name == "Content-Length") {
        const auto n = request.content_length();
        const bool zero_is_empty = request.headers.get("x-ms-version") >= std::string_view("2015-02-21");
        const bool sent = request.body != nullptr || request.method == http::Method::put;
        if (!sent || (n == 0 && zero_is_empty)) return {};
        return std::to_string(n);
    }
    if (name == "Date" && request.headers.has("x-ms-date")) return {};
    return std::string(request.headers.get(name));
}

std::string canonical_headers(const http::Request& request) {
    std::map<std::pair<std::string, std::string>, std::string> sorted;
    for (const auto& [name, value] : request.headers) {
        const std::string lower = to_lower(name);
        if (lower.starts_with("x-ms-")) sorted[{collation_key(lower), lower}] = folded(value);
    }
    std::string out;
    for (const auto& [key, value] : sorted) out += key.second + ":" + value + "\n";
    return out;
}

std::string canonical_resource(const http::Request& request, std::string_view account) {
    std::string out = "/" + std::string(account) + (request.path.empty() ? "/" : request.path);
    std::map<std::string, std::vector<std::string>> sorted;
    for (auto& [name, value] : query_of(request)) sorted[name].push_back(value);
    for (auto& [name, values] : sorted) {
        std::sort(values.begin(), values.end());
        out += "\n" + name + ":";
        for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ",") + values[i];
    }
    return out;
}

Refusal failed(std::string detail) {
    return {403, "AuthenticationFailed", "AuthenticationErrorDetail", std::move(detail)};
}

Check check_date(const Call& call) {
    const std::string_view text = call.has("x-ms-date") ? call.header("x-ms-date") : call.header("Date");
    const auto sent = parse_http_date(text);
    if (!sent) return failed("The Date header in the request is incorrect.");
    const auto age = call.wall > *sent ? call.wall - *sent : *sent - call.wall;
    if (age > kMaxSkew) return failed("Request date header too old: '" + std::string(text) + "'");
    return std::nullopt;
}

}  // namespace

std::string string_to_sign(const http::Request& request, std::string_view account) {
    std::string out = std::string(http::to_string(request.method)) + "\n";
    for (const char* name :
         {"Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
          "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"}) {
        out += standard_value(request, name) + "\n";
    }
    return out + canonical_headers(request) + canonical_resource(request, account);
}

std::string signature(std::string_view key_base64, std::string_view text) {
    const auto key = base64_decode(key_base64);
    return base64_encode(hmac_sha256(key.value_or(Bytes{}), as_bytes(text)));
}

void sign(http::Request& request, std::string_view account, std::string_view key_base64, WallTime now) {
    request.headers.set("x-ms-date", format_http_date(now));
    request.headers.set("Authorization", "SharedKey " + std::string(account) + ":" +
                                             signature(key_base64, string_to_sign(request, account)));
}

namespace {

// What a SAS needs for an operation: one of these permissions [Account SAS, Service SAS]. "w" lets create, too.
std::string_view permissions_for(std::string_view operation) {
    static const std::map<std::string_view, std::string_view> table = {
        {"Put Blob", "wc"},
        {"Put Block", "w"},
        {"Put Block List", "w"},
        {"Append Block", "wa"},
        {"Append Blob Seal", "wc"},
        {"Lease Blob", "wd"},
        {"Delete Blob", "d"},
        {"Set Blob Metadata", "w"},
        {"Set Blob Properties", "w"},
        {"Create Container", "wc"},
        {"Set Container Metadata", "w"},
        {"Lease Container", "wd"},
        {"Delete Container", "d"},
        {"List Blobs", "l"},
        {"List Containers", "l"},
        {"Get Blob Tags", "t"},
    };
    const auto found = table.find(operation);
    return found == table.end() ? "r" : found->second;
}

Check check_permission(const Call& call) {
    const auto granted = call.parameter("sp");
    if (!granted || granted->find_first_of(permissions_for(call.operation)) != std::string::npos) return std::nullopt;
    return refusal(403, "AuthorizationPermissionMismatch");
}

}  // namespace

Check authenticate(const Call& call, const Credentials& credentials) {
    if (call.operation == "Get User Delegation Key" && !call.header("Authorization").starts_with("Bearer ")) {
        return failed("Only authentication scheme Bearer is supported.");
    }
    if (!call.has("Authorization")) {
        const std::string& sas = call.request->secret_query.reveal();
        if (!sas.empty() && !credentials.sas.empty() && sas == credentials.sas) return check_permission(call);
        if (has_service_sas(call)) {
            const Check refused = check_service_sas(call, credentials);
            return refused ? refused : check_permission(call);
        }
        if (!sas.empty()) return failed("Signature did not match.");
        return refusal(401, "NoAuthenticationInformation");
    }
    const std::string_view authorization = call.header("Authorization");
    if (authorization.starts_with("Bearer ")) {
        if (!credentials.bearer.empty() && authorization.substr(7) == credentials.bearer) return std::nullopt;
        return refusal(401, "InvalidAuthenticationInfo");
    }
    const auto space = authorization.find(' ');
    const auto colon = authorization.find(':');
    if (authorization.substr(0, space) != "SharedKey" || colon == std::string_view::npos || colon < space) {
        return refusal(400, "InvalidAuthenticationInfo");
    }
    if (auto no = check_date(call)) return no;
    const std::string_view account = authorization.substr(space + 1, colon - space - 1);
    const std::string_view sent = authorization.substr(colon + 1);
    const std::string text = string_to_sign(*call.request, credentials.account);
    if (account != credentials.account || sent != signature(credentials.key, text)) {
        return failed("The MAC signature found in the HTTP request '" + std::string(sent) +
                      "' is not the same as any computed signature. Server used following string to sign: '" + text +
                      "'.");
    }
    return std::nullopt;
}

}  // namespace azlock::test::fake
