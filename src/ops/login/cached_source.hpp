// Tokens that azlocks of one user share, so that a loop of a thousand azlocks asks for one token.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/random.hpp"
#include "ops/login/token.hpp"

namespace azlock::ops {

struct TokenCacheOptions {
    std::string runtime;  // TokenFolder
    Clock& clock;
    Random& random;
    std::function<void(const std::string&)> note;  // why the cache was of no use, for -v
};

// Takes the token from the cache if there is one that it has not given before and that need not be renewed yet. Else it
// asks `source`, one azlock at a time, and keeps what came. The cache is an aid: without it the source is asked. Error:
// that of TokenFolder::open.
[[nodiscard]] Result<std::unique_ptr<TokenSource>> make_cached_source(std::unique_ptr<TokenSource> source,
                                                                      TokenCacheOptions options);

}  // namespace azlock::ops
