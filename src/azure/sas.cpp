#include "azure/sas.hpp"

#include <algorithm>

#include "azure/url.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

std::string value_of(std::string_view query, std::string_view name) {
    const auto value = query_value(query, name);
    return value ? percent_decode(*value).value_or("") : std::string();
}

}  // namespace

SasTerms read_sas(std::string_view query) {
    SasTerms out;
    out.services = value_of(query, "ss");
    if (!out.services.empty()) out.kind = SasTerms::Kind::account;
    if (!value_of(query, "skoid").empty()) out.kind = SasTerms::Kind::user_delegation;
    out.permissions = value_of(query, "sp");
    out.resource = value_of(query, "sr");
    out.resource_types = value_of(query, "srt");
    out.addresses = value_of(query, "sip");
    out.policy = value_of(query, "si");
    out.https_only = iequals(value_of(query, "spr"), "https");
    out.start = parse_iso8601(value_of(query, "st"));
    out.end = parse_iso8601(value_of(query, "se"));
    // A user's key has times of its own, and the SAS ends with it.
    const auto key_end = parse_iso8601(value_of(query, "ske"));
    if (key_end) out.end = std::min(out.end.value_or(*key_end), *key_end);
    return out;
}

std::string describe_kind(const SasTerms& terms) {
    if (terms.kind == SasTerms::Kind::account) return "account SAS";
    const std::string kind = terms.kind == SasTerms::Kind::service ? "service SAS" : "user delegation SAS";
    const char* of = terms.resource == "c"    ? " of a container"
                     : terms.resource == "b"  ? " of a blob"
                     : terms.resource == "bs" ? " of a snapshot"
                     : terms.resource == "bv" ? " of a version"
                     : terms.resource == "d"  ? " of a directory"
                                              : "";
    return kind + of;
}

}  // namespace azlock::azure
