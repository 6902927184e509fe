// Tokens of the identity of a machine outside Azure that Azure Arc manages.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ops/login/token.hpp"
#include "ops/login/token_request.hpp"

namespace azlock::ops {

// True if the agent of Azure Arc is installed here.
[[nodiscard]] bool has_arc_agent();

// The file that a challenge names: `Basic realm=/var/opt/azcmagent/tokens/<guid>.key`. Whoever owns the port could name
// any file, so an error (auth) unless it is a key directly in `folder`. Pure.
[[nodiscard]] Result<std::string> arc_key_file(std::string_view challenge, const std::string& folder);

// The agent names a file that only its group may read; whoever sends the file's content back gets the token.
// `endpoint` empty: the agent's usual one. Errors: config (not a URL, or `client_id` is set: an Arc machine has one
// identity). `folder`: of the keys, for tests.
[[nodiscard]] Result<std::unique_ptr<TokenSource>> make_arc_identity(TokenLine line, const std::string& endpoint,
                                                                     const std::string& client_id,
                                                                     std::string folder = "/var/opt/azcmagent/tokens");

}  // namespace azlock::ops
