// What token endpoints answer: a token with its end, or a refusal. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "http/message.hpp"
#include "ops/login/token.hpp"

namespace azlock::ops {

// Texts of one JSON object: a number becomes its digits, and anything else that is not a text is left out. nullopt: not
// an object.
class JsonTexts {
  public:
    [[nodiscard]] static std::optional<JsonTexts> read(std::string_view json);
    // Empty if it is missing. "error.code" is the code in the object error.
    [[nodiscard]] std::string get(std::string_view name) const;

  private:
    std::vector<std::pair<std::string, std::string>> texts_;
};

// What a JWT says of itself. Nothing here is verified: the service does that.
struct Claims {
    std::string tenant;     // tid
    std::string object_id;  // oid
    std::string subject;    // sub
    std::string issuer;     // iss
    std::string client_id;  // appid or azp
    std::string user;       // upn or preferred_username
    std::optional<WallTime> ends;
};
// nullopt: not three parts, or the middle one is not Base64 of a JSON object.
[[nodiscard]] std::optional<Claims> read_claims(std::string_view jwt);

// When the answer came, and what its request was for.
struct Asked {
    BootTime sent;            // just before the request
    BootTime now;             // when the answer had come
    WallTime wall;            // the same moment
    std::string_view source;  // for messages: "workload identity"
};

// The names of the fields differ between tools.
struct TokenFields {
    std::string_view token = "access_token";
    std::string_view ends = "expires_on";
};

// The end comes from expires_in, else from expires_on (seconds or a date), else from the token itself, else it is five
// minutes from now. Errors (auth): no token, or one that has ended. The message never holds the token.
[[nodiscard]] Result<Token> read_token(std::string_view json, const Asked& asked, const TokenFields& fields = {});

// The error (auth) for an answer that is not 200, in whatever form: what the endpoint says, and for a known code of
// Entra ID (AADSTS) what to do.
[[nodiscard]] Error token_refusal(const http::Response& answer, std::string_view source);

}  // namespace azlock::ops
