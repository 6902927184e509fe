#include "azure/sas_grant.hpp"

#include "azure/shared_key.hpp"
#include "base/http_date.hpp"

namespace azlock::azure {
namespace {

// From this version on, the encryption scope is signed, too.
constexpr std::string_view kScopeSince = "2020-12-06";

std::string resource_of(const SasGrant& grant) {
    return grant.address.is_container() ? "c" : "b";
}

std::string start_of(const SasGrant& grant) {
    return grant.start ? format_iso8601(*grant.start) : std::string();
}

std::string protocol_of(const SasGrant& grant) {
    return grant.https_only ? "https" : "";
}

}  // namespace

std::string string_to_sign(const SasGrant& grant, std::string_view account) {
    std::string out;
    for (const std::string& line :
         {grant.permissions, start_of(grant), format_iso8601(grant.end),
          "/blob/" + std::string(account) + "/" + grant.address.to_string(), std::string(/* stored policy */),
          grant.addresses, protocol_of(grant), grant.version, resource_of(grant), std::string(/* snapshot */)}) {
        out += line + "\n";
    }
    if (grant.version >= kScopeSince) out += "\n";
    return out + "\n\n\n\n";  // the five headers that an answer could be given
}

Secret signed_sas(const SasGrant& grant, std::string_view account, ByteView key) {
    std::string out = "sv=" + percent_encode(grant.version);
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) out += "&" + std::string(name) + "=" + percent_encode(value);
    };
    add("st", start_of(grant));
    add("se", format_iso8601(grant.end));
    add("sr", resource_of(grant));
    add("sp", grant.permissions);
    add("sip", grant.addresses);
    add("spr", protocol_of(grant));
    add("sig", sign(key, string_to_sign(grant, account)));
    return Secret(std::move(out));
}

}  // namespace azlock::azure
