// Shared Key as the service checks it, written from the published rule alone: the opposite side of azure/shared_key.
#pragma once

#include <string>
#include <string_view>

#include "support/fake_wire.hpp"

namespace azlock::test::fake {

// The string-to-sign of this request. All its headers must be set, except Authorization.
[[nodiscard]] std::string string_to_sign(const http::Request& request, std::string_view account);

// Base64(HMAC-SHA256(Base64-decoded key, text)).
[[nodiscard]] std::string signature(std::string_view key_base64, std::string_view text);

// Sets x-ms-date to `now`, and Authorization. For tests that send requests without the client's own code.
void sign(http::Request& request, std::string_view account, std::string_view key_base64, WallTime now);

struct Credentials {
    std::string account;
    std::string key;     // Base64
    std::string sas;     // if not empty, accepted in place of a signature; so is a service SAS that the key has signed
    std::string bearer;  // if not empty, the token of a login, accepted in place of a signature
};

// Returns nullopt if the request may go on. Anonymous requests are refused.
[[nodiscard]] Check authenticate(const Call& call, const Credentials& credentials);

}  // namespace azlock::test::fake
