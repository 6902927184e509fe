// Makes a SAS for a container or blob from what a user asks for. Nothing is sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/credential.hpp"
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

// For what, by whom, and in which version.
struct SasSubject {
    azure::Endpoint endpoint;
    azure::BlobAddress address;
    azure::Credential credential;
    std::string api_version;
};

struct MadeSas {
    azure::SasGrant grant;
    Secret sas;  // without '?'
    Secret url;  // of the container or blob, with the SAS
};

// Errors: usage; auth (the credential is no account key).
[[nodiscard]] Result<MadeSas> make_sas(const SasRequest& request, const SasSubject& subject, WallTime now);

}  // namespace azlock::ops
