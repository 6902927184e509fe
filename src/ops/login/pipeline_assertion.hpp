// Assertions that a CI system gives to a running job: a fresh one for every token request, because each lives minutes.
#pragma once

#include <string>

#include "ops/login/application.hpp"

namespace azlock::ops {

// Where a job asks, and with which token; each with the name of its variable, for messages.
struct JobEndpoint {
    std::string url;
    std::string url_variable;
    Secret bearer;
    std::string bearer_variable;
};

// GitHub Actions. Errors (config): not an https URL, or no token.
[[nodiscard]] Result<Prove> prove_by_github(TokenLine line, const JobEndpoint& endpoint);

// Azure Pipelines. `connection`: the id of the service connection.
[[nodiscard]] Result<Prove> prove_by_azure_pipelines(TokenLine line, const JobEndpoint& endpoint,
                                                     const std::string& connection);

}  // namespace azlock::ops
