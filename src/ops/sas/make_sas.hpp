// Makes a SAS for a container or blob from what a user asks for.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "azure/sas_grant.hpp"

namespace azlock::ops {

struct SasRequest {
    std::string permissions = "r";                           // letters of azure::kSasPermissions in any order
    std::chrono::milliseconds span = std::chrono::hours(1);  // unless `end` is given
    std::optional<WallTime> start;
    std::optional<WallTime> end;
    std::string addresses;
    bool https_only = false;
};

// A SAS of a login lasts no longer than the key that signs it.
inline constexpr std::chrono::days kLongestOfLogin{7};

struct MadeSas {
    azure::SasGrant grant;
    std::string kind;  // "user delegation SAS of a blob"
    Secret sas;        // without '?'
    Secret url;        // of the container or blob, with the SAS
};

// In the form of this version. With an account key nothing is sent; with a login one request gets a key that signs it.
// Errors: usage; auth (the credential is neither); of the request.
[[nodiscard]] Result<MadeSas> make_sas(const SasRequest& request, azure::BlobClient& client,
                                       const azure::BlobAddress& address, const std::string& api_version,
                                       const azure::Call& call);

}  // namespace azlock::ops
