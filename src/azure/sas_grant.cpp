#include "azure/sas_grant.hpp"

#include <utility>
#include <vector>

#include "azure/shared_key.hpp"
#include "base/http_date.hpp"

namespace azlock::azure {
namespace {

// From these versions on, more fields are signed. azlock leaves them all empty.
constexpr std::string_view kScopeSince = "2020-12-06";
constexpr std::string_view kAuthorizedUserSince = "2020-02-10";
constexpr std::string_view kBoundUserSince = "2025-07-05";
constexpr std::string_view kBoundRequestSince = "2026-04-06";

std::string resource_of(const SasGrant& grant) {
    return grant.address.is_container() ? "c" : "b";
}

std::string start_of(const SasGrant& grant) {
    return grant.start ? format_iso8601(*grant.start) : std::string();
}

std::string protocol_of(const SasGrant& grant) {
    return grant.https_only ? "https" : "";
}

using Fields = std::vector<std::pair<const char*, std::string>>;

// In the order in which they are signed.
Fields fields_of(const UserKey& user) {
    return {{"skoid", user.object_id}, {"sktid", user.tenant}, {"skt", user.start},
            {"ske", user.end},         {"sks", user.service},  {"skv", user.version}};
}

Secret make_query(const SasGrant& grant, const Fields& user, const std::string& signature) {
    std::string out = "sv=" + percent_encode(grant.version);
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) out += "&" + std::string(name) + "=" + percent_encode(value);
    };
    add("st", start_of(grant));
    add("se", format_iso8601(grant.end));
    add("sr", resource_of(grant));
    add("sp", grant.permissions);
    for (const auto& [name, value] : user) add(name, value);
    add("sip", grant.addresses);
    add("spr", protocol_of(grant));
    add("sig", signature);
    return Secret(std::move(out));
}

}  // namespace

std::string string_to_sign(const SasGrant& grant, std::string_view account, const UserKey* user) {
    std::string out;
    const auto add = [&](const std::string& line) { out += line + "\n"; };
    const auto skip = [&](std::size_t fields) { out.append(fields, '\n'); };
    add(grant.permissions);
    add(start_of(grant));
    add(format_iso8601(grant.end));
    add("/blob/" + std::string(account) + "/" + grant.address.to_string());
    if (user == nullptr) {
        skip(1);  // the stored policy
    } else {
        for (const auto& [name, value] : fields_of(*user)) add(value);
        if (grant.version >= kAuthorizedUserSince) skip(3);
        if (grant.version >= kBoundUserSince) skip(2);
    }
    add(grant.addresses);
    add(protocol_of(grant));
    add(grant.version);
    add(resource_of(grant));
    skip(1);  // the snapshot
    if (grant.version >= kScopeSince) skip(1);
    if (user != nullptr && grant.version >= kBoundRequestSince) skip(2);
    skip(4);  // between the five headers that an answer could be given
    return out;
}

Secret signed_sas(const SasGrant& grant, std::string_view account, ByteView key) {
    return make_query(grant, {}, sign(key, string_to_sign(grant, account)));
}

Secret signed_sas(const SasGrant& grant, std::string_view account, const UserKey& user) {
    return make_query(grant, fields_of(user), sign(as_bytes(user.key.reveal()), string_to_sign(grant, account, &user)));
}

}  // namespace azlock::azure
