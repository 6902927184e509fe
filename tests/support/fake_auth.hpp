// Shared Key as the service checks it, written from the published rule alone: the opposite side of azure/signing.
#pragma once

#include <string>
#include <string_view>

#include "support/fake_wire.hpp"

namespace azlock::test::fake {

// What the service signs for this request, whose headers must be complete but for Authorization.
[[nodiscard]] std::string string_to_sign(const http::Request& request, std::string_view account);

// Base64(HMAC-SHA256(Base64-decoded key, text)).
[[nodiscard]] std::string signature(std::string_view key_base64, std::string_view text);

// Sets x-ms-date to `now` and Authorization. For tests that speak to a service without the client's own code.
void sign(http::Request& request, std::string_view account, std::string_view key_base64, WallTime now);

struct Credentials {
    std::string account;
    std::string key;  // Base64
    std::string sas;  // accepted in place of a signature where not empty
};

// nullopt where the request may go on. Anonymous requests are refused.
[[nodiscard]] Check authenticate(const Call& call, const Credentials& credentials);

}  // namespace azlock::test::fake
