// Which source of tokens this process uses, from the variables of its environment.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "azure/address.hpp"
#include "ops/login/token.hpp"
#include "ops/login/token_request.hpp"
#include "ops/login/tool_login.hpp"

namespace azlock::ops {

struct LoginOptions {
    TokenLine line;
    // The value of a variable; empty if it is not set.
    std::function<std::string(const char*)> environment;
    std::string credential;  // of --credential; empty: AZURE_TOKEN_CREDENTIALS decides, or the order of the list
    std::string authority;   // where tokens come from if AZURE_AUTHORITY_HOST is not set
    RunTool run_tool = ops::run_tool;
    bool token_cache = false;                           // share tokens by files below XDG_RUNTIME_DIR
    std::function<void(const std::string&)> note = {};  // for -v
};

// The names that --credential takes, in the order in which they are looked for.
[[nodiscard]] std::vector<std::string> credential_names();

// The authority of the cloud that the account is in: "https://login.microsoftonline.com".
[[nodiscard]] std::string authority_for(const azure::Endpoint& endpoint);

// One source if one is named; else all that this environment may have, in order. Errors: config (a variable cannot be
// used), auth (what was named is not set up here, or nothing is: the message says what is missing for each).
[[nodiscard]] Result<std::unique_ptr<TokenSource>> choose_source(const LoginOptions& options);

}  // namespace azlock::ops
