// Finds out which operation a request is, and on which account, container and blob.
#include <algorithm>

#include "base/encoding.hpp"
#include "base/text.hpp"
#include "support/fake_wire.hpp"

namespace azlock::test::fake {
namespace {

constexpr std::string_view kSecondary = "-secondary";

std::string first(const Query& query, std::string_view name) {
    for (const auto& [key, value] : query) {
        if (key == name) return value;
    }
    return {};
}

std::string_view container_operation(http::Method method, const std::string& comp) {
    const bool reads = method == http::Method::get || method == http::Method::head;
    if (comp.empty()) {
        if (method == http::Method::put) return "Create Container";
        if (method == http::Method::del) return "Delete Container";
        return "Get Container Properties";
    }
    if (comp == "list") return method == http::Method::get ? "List Blobs" : "";
    if (comp == "lease") return method == http::Method::put ? "Lease Container" : "";
    if (comp != "metadata" || method == http::Method::del) return "";
    return reads ? "Get Container Metadata" : "Set Container Metadata";
}

std::string_view blob_operation(http::Method method, const std::string& comp) {
    switch (method) {
        case http::Method::get:
            if (comp.empty()) return "Get Blob";
            if (comp == "blocklist") return "Get Block List";
            if (comp == "tags") return "Get Blob Tags";
            return comp == "metadata" ? "Get Blob Metadata" : "";
        case http::Method::head:
            if (comp.empty()) return "Get Blob Properties";
            return comp == "metadata" ? "Get Blob Metadata" : "";
        case http::Method::del: return comp.empty() ? "Delete Blob" : "";
        case http::Method::post: return "";
        case http::Method::put: break;
    }
    if (comp.empty()) return "Put Blob";
    if (comp == "block") return "Put Block";
    if (comp == "blocklist") return "Put Block List";
    if (comp == "appendblock") return "Append Block";
    if (comp == "seal") return "Append Blob Seal";
    if (comp == "lease") return "Lease Blob";
    if (comp == "metadata") return "Set Blob Metadata";
    return comp == "properties" ? "Set Blob Properties" : "";
}

// Characters as the service counts them: UTF-16 units.
std::size_t length_of(std::string_view utf8) {
    std::size_t n = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0U) != 0x80U) n += byte >= 0xF0U ? 2 : 1;
    }
    return n;
}

Check check_container_name(const std::string& name) {
    if (name == "$root") return std::nullopt;
    if (name.size() < 3 || name.size() > 63) return refusal(400, "OutOfRangeInput");
    const bool legal = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos &&
                       name.front() != '-' && name.back() != '-' && name.find("--") == std::string::npos;
    if (!legal) return refusal(400, "InvalidResourceName");
    return std::nullopt;
}

Check check_blob_name(const std::string& name) {
    if (!is_utf8(name)) return refusal(400, "InvalidUri");
    if (length_of(name) > 1024) return refusal(400, "OutOfRangeInput");
    if (std::count(name.begin(), name.end(), '/') > 253) return refusal(400, "InvalidResourceName");
    return std::nullopt;
}

}  // namespace

bool is_path_style(const std::string& host) {
    return iequals(host, "localhost") || host.find(':') != std::string::npos ||
           host.find_first_not_of("0123456789.") == std::string::npos;
}

Query query_of(const http::Request& request) {
    Query out;
    for (const auto& [name, value] : request.query) out.emplace_back(to_lower(name), value);
    if (!request.secret_query.empty()) {
        for (const std::string_view part : split(request.secret_query.reveal(), '&')) {
            const auto equals = part.find('=');
            const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
            out.emplace_back(to_lower(percent_decode(part.substr(0, equals)).value_or("")),
                             percent_decode(value).value_or(""));
        }
    }
    return out;
}

std::string_view operation_of(const http::Request& request) {
    const Query query = query_of(request);
    const std::string restype = first(query, "restype");
    const std::string comp = first(query, "comp");
    if (restype == "container") return container_operation(request.method, comp);
    if (restype == "service" && comp == "userdelegationkey" && request.method == http::Method::post) {
        return "Get User Delegation Key";
    }
    if (!restype.empty()) return "";
    if (comp == "list") return request.method == http::Method::get ? "List Containers" : "";
    return blob_operation(request.method, comp);
}

Check read_address(const http::Request& request, Call& call) {
    std::string_view path = request.path;
    if (path.empty() || path.front() != '/') return refusal(400, "InvalidUri");
    path.remove_prefix(1);
    if (is_path_style(request.origin.host)) {
        const auto slash = path.find('/');
        call.account = std::string(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    } else {
        call.account = request.origin.host.substr(0, request.origin.host.find('.'));
    }
    if (call.account.ends_with(kSecondary)) {
        call.secondary = true;
        call.account.resize(call.account.size() - kSecondary.size());
    }
    if (call.operation == "List Containers" || call.operation == "Get User Delegation Key") {
        return path.empty() ? Check{} : Check{bad_query("comp", "list")};
    }
    const bool on_container = call.operation.find("Container") != std::string::npos || call.operation == "List Blobs";
    const auto slash = path.find('/');
    std::string_view container = path.substr(0, slash);
    std::string_view blob = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    if (!on_container && slash == std::string_view::npos) {
        blob = container;
        container = "$root";
    }
    const auto name = percent_decode(blob);
    const auto box = percent_decode(container);
    if (!name || !box || (on_container ? !blob.empty() : blob.empty())) return refusal(400, "InvalidUri");
    call.container = *box;
    call.blob = *name;
    if (auto no = check_container_name(call.container)) return no;
    return check_blob_name(call.blob);
}

}  // namespace azlock::test::fake
