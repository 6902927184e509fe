// Assertions that a CI system gives to a running job: a fresh one for every token request, because each lives minutes.
#pragma once

#include <string>

#include "ops/login/application.hpp"

namespace azlock::ops {

// GitHub Actions. `url`, `request_token`: ACTIONS_ID_TOKEN_REQUEST_URL and _TOKEN. Error (config): not an https URL.
[[nodiscard]] Result<Prove> prove_by_github(TokenLine line, const std::string& url, Secret request_token);

// Azure Pipelines. `url`: SYSTEM_OIDCREQUESTURI, `access_token`: SYSTEM_ACCESSTOKEN, `connection`: the id of the
// service connection.
[[nodiscard]] Result<Prove> prove_by_azure_pipelines(TokenLine line, const std::string& url, Secret access_token,
                                                     const std::string& connection);

}  // namespace azlock::ops
