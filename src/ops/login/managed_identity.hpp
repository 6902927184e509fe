// Tokens of the identity that Azure gives to a machine, a container or an app.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ops/login/token.hpp"
#include "ops/login/token_request.hpp"

namespace azlock::ops {

struct IdentityOptions {
    TokenLine line;
    std::function<std::string(const char*)> environment;  // read for each request: some values change
    // Nobody has said that there is an identity: azlock asks for an answer first, and does not wait for it long.
    bool guessed = false;
};

// The host is known by its variables: App Service, Functions, Container Apps and Automation (IDENTITY_ENDPOINT with
// IDENTITY_HEADER), Azure ML (MSI_ENDPOINT with MSI_SECRET), Cloud Shell (MSI_ENDPOINT), Azure Arc (IDENTITY_ENDPOINT
// with IMDS_ENDPOINT, or its agent), else the metadata service of a virtual machine. AZURE_CLIENT_ID chooses among
// several identities. Errors: config (an endpoint is no URL; Service Fabric, which azlock does not support).
[[nodiscard]] Result<std::unique_ptr<TokenSource>> make_managed_identity(IdentityOptions options);

}  // namespace azlock::ops
