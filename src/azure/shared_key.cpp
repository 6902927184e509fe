#include "azure/shared_key.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

constexpr std::string_view kEmptyHeadersSince = "2016-05-31";
constexpr std::string_view kEmptyLengthSince = "2015-02-21";

int weight(char c) {
    if (c == '_') return 1;
    if (is_digit(c)) return 2 + (c - '0');
    if (is_lower(c)) return 12 + (c - 'a');
    return 64 + static_cast<unsigned char>(c);
}

std::string without_hyphens(std::string_view name) {
    std::string out(name);
    std::erase(out, '-');
    return out;
}

void append_line(std::string& out, std::string_view value) {
    out += value;
    out += '\n';
}

void append_canonicalized_headers(std::string& out, const http::Headers& headers, bool with_empty) {
    std::vector<std::pair<std::string, std::string_view>> fields;
    for (const auto& [name, value] : headers) {
        if (!istarts_with(name, "x-ms-")) continue;
        const std::string_view trimmed = trim(value);
        if (!trimmed.empty() || with_empty) fields.emplace_back(to_lower(name), trimmed);
    }
    std::sort(fields.begin(), fields.end(),
              [](const auto& a, const auto& b) { return header_name_less(a.first, b.first); });
    for (const auto& [name, value] : fields) {
        out += name;
        out += ':';
        append_line(out, value);
    }
}

void append_canonicalized_resource(std::string& out, const http::Request& request, std::string_view account) {
    out += '/';
    out += account;
    out += request.path.empty() ? "/" : request.path;
    std::map<std::string, std::vector<std::string>> parameters;
    for (const auto& [name, value] : request.query) parameters[to_lower(name)].push_back(value);
    for (auto& [name, values] : parameters) {
        std::sort(values.begin(), values.end());
        out += '\n' + name + ':';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) out += ',';
            out += values[i];
        }
    }
}

}  // namespace

bool header_name_less(std::string_view a, std::string_view b) {
    const std::string x = without_hyphens(a);
    const std::string y = without_hyphens(b);
    const auto by_weight = [](char c, char d) { return weight(c) < weight(d); };
    if (x != y) return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), by_weight);
    const auto hyphen_last = [](char c, char d) { return c != d && d == '-'; };
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), hyphen_last);
}

std::string string_to_sign(const http::Request& request, std::string_view account) {
    const http::Headers& headers = request.headers;
    const std::string_view version = headers.get("x-ms-version");
    const std::uint64_t length = request.content_length();
    const bool length_is_empty = length == 0 && (version >= kEmptyLengthSince || request.method != http::Method::put);

    std::string out;
    append_line(out, http::to_string(request.method));
    append_line(out, headers.get("Content-Encoding"));
    append_line(out, headers.get("Content-Language"));
    append_line(out, length_is_empty ? std::string() : std::to_string(length));
    append_line(out, headers.get("Content-MD5"));
    append_line(out, headers.get("Content-Type"));
    append_line(out, headers.has("x-ms-date") ? std::string_view{} : headers.get("Date"));
    append_line(out, headers.get("If-Modified-Since"));
    append_line(out, headers.get("If-Match"));
    append_line(out, headers.get("If-None-Match"));
    append_line(out, headers.get("If-Unmodified-Since"));
    append_line(out, headers.has("x-ms-range") ? std::string_view{} : headers.get("Range"));
    append_canonicalized_headers(out, headers, version >= kEmptyHeadersSince);
    append_canonicalized_resource(out, request, account);
    return out;
}

std::string sign(ByteView key, std::string_view text) {
    return base64_encode(hmac_sha256(key, as_bytes(text)));
}

}  // namespace azlock::azure
