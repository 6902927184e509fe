// Asks several sources of tokens in turn, and stays with the first that gives one.
#pragma once

#include <memory>
#include <vector>

#include "ops/login/token.hpp"

namespace azlock::ops {

// For sources that nobody has configured: azlock only looks whether they are there, so a refusal leads to the next one.
// A failure that may pass ends the search, and the next fetch begins again; so does a setting that cannot be used. It
// describes itself as the source that gave a token, or before that as all of them. `reasons`: why other sources were
// not asked, for the error.
[[nodiscard]] std::unique_ptr<TokenSource> make_source_chain(std::vector<std::unique_ptr<TokenSource>> sources,
                                                             std::vector<std::string> reasons);

// The error (auth) for "no source has a token": names each source and why.
[[nodiscard]] Error no_credential(const std::vector<std::string>& reasons);

}  // namespace azlock::ops
