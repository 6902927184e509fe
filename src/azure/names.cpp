#include "azure/names.hpp"

#include <algorithm>
#include <array>

#include "base/encoding.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

constexpr std::array<std::string_view, 4> kServiceContainers{"$root", "$web", "$logs", "$blobchangefeed"};
constexpr std::size_t kMaxBlobCharacters = 1024;
constexpr std::ptrdiff_t kMaxSegments = 254;
constexpr const char* kAccountRule = "it has 3 to 24 lower-case letters and digits";

bool is_lower_alnum(char c) {
    return is_lower(c) || is_digit(c);
}
bool is_identifier(char c) {
    return is_alnum(c) || c == '_';
}

// A mistyped URL ends up here as a name, with its SAS.
std::string in_quotes(std::string_view text) {
    return "'" + redact(printable(text)) + "'";
}

// Characters as the service counts them: UTF-16 code units.
std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        if (!continues_character(c)) units += static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1;
    }
    return units;
}

}  // namespace

Status check_container_name(std::string_view name) {
    if (std::find(kServiceContainers.begin(), kServiceContainers.end(), name) != kServiceContainers.end()) return {};
    const bool characters = std::all_of(name.begin(), name.end(), [](char c) { return is_lower_alnum(c) || c == '-'; });
    if (name.size() < 3 || name.size() > 63 || !characters || !is_lower_alnum(name.front()) ||
        !is_lower_alnum(name.back()) || name.find("--") != std::string_view::npos) {
        return fail(ErrorCode::usage, in_quotes(name) + " is not a container name",
                    "use 3 to 63 lower-case letters, digits and single '-'");
    }
    return {};
}

namespace {

Status another_name(std::string_view name) {
    return fail(ErrorCode::usage, "the service would read the blob name " + in_quotes(name) + " as another name",
                "use no '\\' and no '.' at the end of a part between slashes");
}

}  // namespace

Status check_listed_name(std::string_view name) {
    if (name.empty()) return fail(ErrorCode::usage, "the blob name is empty", "name a blob: CONTAINER/BLOB");
    if (!is_utf8(name)) return fail(ErrorCode::usage, "the blob name " + in_quotes(name) + " is not UTF-8");
    const bool control = std::any_of(name.begin(), name.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
    if (control || name.find("\xEF\xBF\xBE") != std::string_view::npos ||
        name.find("\xEF\xBF\xBF") != std::string_view::npos) {
        return fail(ErrorCode::usage, "the blob name " + in_quotes(name) + " contains a control character");
    }
    if (const std::size_t length = utf16_length(name); length > kMaxBlobCharacters) {
        return fail(ErrorCode::usage, "the blob name has " + std::to_string(length) + " characters; 1024 are allowed");
    }
    if (std::count(name.begin(), name.end(), '/') >= kMaxSegments) {
        return fail(ErrorCode::usage, "the blob name has more than 254 path segments");
    }
    return name.find('\\') == std::string_view::npos ? Status() : another_name(name);
}

Status check_blob_name(std::string_view name) {
    const Status listed = check_listed_name(name);
    return listed && has_dot_at_end(name) ? another_name(name) : listed;
}

bool has_dot_at_end(std::string_view name) {
    const auto segments = split(name, '/');
    return std::any_of(segments.begin(), segments.end(),
                       [](std::string_view segment) { return segment.ends_with('.'); });
}

Status check_service_account(std::string_view name) {
    if (name.size() >= 3 && name.size() <= 24 && std::all_of(name.begin(), name.end(), is_lower_alnum)) return {};
    return fail(ErrorCode::usage, "this is not the name of a storage account", kAccountRule);
}

Status check_account_name(std::string_view name) {
    const bool characters =
        std::all_of(name.begin(), name.end(), [](char c) { return is_identifier(c) || c == '-' || c == '.'; });
    if (!name.empty() && name.size() <= 64 && characters) return {};
    return fail(ErrorCode::usage, "this is not the name of a storage account", kAccountRule);
}

Status check_metadata_name(std::string_view name) {
    if (name.empty() || is_digit(name.front()) || !std::all_of(name.begin(), name.end(), is_identifier)) {
        return fail(ErrorCode::usage, in_quotes(name) + " is not a metadata name",
                    "use letters, digits and '_', not starting with a digit");
    }
    return {};
}

Status check_metadata_value(std::string_view name, std::string_view value) {
    const bool ascii = std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
    if (!ascii || trim(value) != value || value.find("  ") != std::string_view::npos) {
        return fail(ErrorCode::usage, "the value of metadata " + in_quotes(name) + " cannot be sent as a header",
                    "use printable ASCII without blanks at the ends or runs of blanks; percent-encode the rest");
    }
    return {};
}

Result<std::string> canonical_lease_id(std::string_view text) {
    constexpr std::size_t kLength = 36;
    std::string out = to_lower(text);
    const bool wrapped = out.size() == kLength + 2 &&
                         ((out.front() == '{' && out.back() == '}') || (out.front() == '(' && out.back() == ')'));
    if (wrapped) out = out.substr(1, kLength);
    if (out.size() == kLength) {
        for (const std::size_t at : {23U, 18U, 13U, 8U}) {
            if (out[at] == '-') out.erase(at, 1);
        }
    }
    if (out.size() != 32 || out.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return fail(ErrorCode::usage, in_quotes(text) + " is not a lease id",
                    "it is a GUID: 01234567-89ab-cdef-0123-456789abcdef");
    }
    for (const std::size_t at : {20U, 16U, 12U, 8U}) out.insert(at, 1, '-');
    return out;
}

}  // namespace azlock::azure
