// Reads what a SAS says of itself: for whom, until when, and what it permits [Account SAS, Service SAS, User delegation
// SAS].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace azlock::azure {

struct SasTerms {
    enum class Kind {
        account,         // for the account; signed with its key
        service,         // for a container or blob; signed with the account's key
        user_delegation  // for a container or blob; signed with a key that a user got
    };
    Kind kind = Kind::service;
    std::string permissions;        // "rwl"; empty: only the stored policy has them
    std::string resource;           // "c": a container, "b": a blob, and others; empty for an account SAS
    std::string services;           // of an account SAS: "b", "bfqt"
    std::string resource_types;     // of an account SAS: "sco"
    std::optional<WallTime> start;  // empty: there is none, or it cannot be read
    std::optional<WallTime> end;    // the same
    std::string addresses;          // "198.51.100.7-198.51.100.9"; empty: any
    std::string policy;             // the name of a stored policy, which adds to these terms; empty: there is none
    bool https_only = false;

    // False if it permits none of these letters for sure.
    [[nodiscard]] bool may_permit(std::string_view letters) const {
        const bool known = !permissions.empty() && policy.empty();
        return !known || permissions.find_first_of(letters) != std::string::npos;
    }
};

// `query`: a SAS, without '?'. What is missing or cannot be read is empty. The signature is not looked at.
[[nodiscard]] SasTerms read_sas(std::string_view query);

// "account SAS", "user delegation SAS of a blob"
[[nodiscard]] std::string describe_kind(const SasTerms& terms);

}  // namespace azlock::azure
