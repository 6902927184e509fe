// Tokens for an application of Entra ID (a service principal, or an identity that trusts an issuer of assertions).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ops/login/token.hpp"
#include "ops/login/token_request.hpp"

namespace azlock::ops {

struct Application {
    http::Origin authority;  // "https://login.microsoftonline.com"
    std::string tenant;
    std::string client_id;

    // The path of the token endpoint.
    [[nodiscard]] std::string token_path() const;
};

// Error (config): not an https URL of a host alone (http is allowed to this machine), whatever the variable's name is.
[[nodiscard]] Result<http::Origin> read_authority(std::string_view url, const std::string& variable);
// Error (config): a character that no tenant has; it would change the URL of the token endpoint.
[[nodiscard]] Status check_tenant(std::string_view tenant, const std::string& variable);
// The same for the id of a client.
[[nodiscard]] Status check_client_id(std::string_view client_id, const std::string& variable);

// How the application proves who it is.
struct Proof {
    enum class Kind { secret, assertion } kind = Kind::assertion;
    Secret value;  // of an assertion: a JWT
};
// Called for every token request, because assertions are short-lived.
using Prove = std::function<Result<Proof>(Deadline deadline, const std::stop_token& stop)>;

// `title`: "workload identity". `last_renewal`: when the proof ends, if it cannot be renewed.
[[nodiscard]] std::unique_ptr<TokenSource> make_application_source(TokenLine line, Application application,
                                                                   std::string title, Prove prove,
                                                                   std::optional<WallTime> last_renewal = {});

// Proves with the JWT in a file, which is read for every token request: whoever put it there replaces it in time.
[[nodiscard]] Prove prove_by_file(std::string path, std::string variable);
// Proves with a JWT that does not change. Error, when it is used: it has ended.
[[nodiscard]] Prove prove_by_text(Secret jwt, const Clock& clock, std::string variable);

}  // namespace azlock::ops
