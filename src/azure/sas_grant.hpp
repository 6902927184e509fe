// Makes a SAS for a container or blob: the string-to-sign as a pure function, and the query [Service SAS, User
// delegation SAS].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "azure/address.hpp"
#include "azure/types.hpp"
#include "azure/user_key.hpp"
#include "base/clock.hpp"
#include "base/encoding.hpp"

namespace azlock::azure {

struct SasGrant {
    BlobAddress address;                 // without snapshot
    std::string permissions;             // in the order of kSasPermissions
    std::optional<WallTime> start = {};  // empty: from now on
    WallTime end;
    std::string addresses = {};  // "198.51.100.7", "198.51.100.0-198.51.100.9"; empty: any
    bool https_only = false;
    std::string version = kDefaultApiVersion;  // from kFirstSasVersion on
};

// The letters that azlock grants, in the service's order.
inline constexpr std::string_view kSasPermissions = "racwdxlt";
inline constexpr std::string_view kFirstSasVersion = "2018-11-09";

// `user`: the key of a login that signs it; null: the account's key does.
[[nodiscard]] std::string string_to_sign(const SasGrant& grant, std::string_view account,
                                         const UserKey* user = nullptr);

// The SAS, without '?', signed with the account's key.
[[nodiscard]] Secret signed_sas(const SasGrant& grant, std::string_view account, ByteView key);
[[nodiscard]] Secret signed_sas(const SasGrant& grant, std::string_view account, const UserKey& user);

}  // namespace azlock::azure
