#include "azure/target_hint.hpp"

#include <algorithm>

#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

std::string shown(std::string_view target) {
    return "'" + redact(printable(target)) + "'";
}

// "s3" of "s3://bucket/x" and of "az:/box"; empty: there is no scheme.
std::string_view scheme_of(std::string_view text) {
    const std::size_t colon = text.find(":/");
    if (colon == std::string_view::npos || colon == 0) return {};
    const std::string_view scheme = text.substr(0, colon);
    return std::all_of(scheme.begin(), scheme.end(), is_alnum) ? scheme : std::string_view();
}

std::string_view without_slashes(std::string_view text) {
    while (text.starts_with('/')) text.remove_prefix(1);
    return text;
}

}  // namespace

std::string target_hint(std::string_view text) {
    if (text.starts_with("./") || text.starts_with("../") || text.starts_with("~/")) {
        return "this looks like a local file; a target is CONTAINER[/BLOB], az://CONTAINER/BLOB or a URL";
    }
    if (const std::string_view scheme = scheme_of(text); !scheme.empty()) {
        const std::string_view names = without_slashes(text.substr(scheme.size() + 1));
        if (iequals(scheme, "az") || iequals(scheme, "azure")) return "write " + shown("az://" + std::string(names));
        return "azlock knows az://CONTAINER/BLOB and https URLs, not " + shown(scheme) + ":";
    }
    const std::string_view names = without_slashes(text);
    const bool named = check_container_name(names.substr(0, names.find('/'))).has_value();
    if (names.size() < text.size() && named) return "write " + shown(names) + ", without the slash before it";
    return {};
}

}  // namespace azlock::azure
