// What a refused request of a login means, and what to do about it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "azure/requests.hpp"
#include "base/error.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// The tenant of the account, from the challenge of a 401 (WWW-Authenticate). Empty: there is none, or it names no
// authority of Microsoft.
[[nodiscard]] std::string challenge_tenant(std::string_view challenge);

// Makes the error of such a request tell what is wrong: the token, its tenant, the role that is missing, the network.
// `tenant`: that of the token, if known. True if another token of the same login may be accepted.
bool explain_login_refusal(const Operation& op, const http::Response& response, std::string_view tenant, Error& error);

}  // namespace azlock::azure
