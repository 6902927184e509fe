// A token of Entra ID, and what fetches one.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

namespace azlock::ops {

// The service that the tokens are for, as the two generations of token endpoints name it.
inline constexpr std::string_view kStorageResource = "https://storage.azure.com";
inline constexpr std::string_view kStorageScope = "https://storage.azure.com/.default";

struct Token {
    Secret bearer;
    BootTime asked;                        // just before the request was sent
    BootTime ends;                         // counted from `asked`
    std::optional<BootTime> refresh = {};  // when the source wants to be asked again
    bool from_cache = false;               // another process got it from the source
};

// One place where tokens come from. Called by one thread at a time.
class TokenSource {
  public:
    virtual ~TokenSource() = default;
    // Errors: auth (refused, or not to be had here), config (a setting cannot be used), unavailable (with `fault`: a
    // repeat may help), cancelled.
    [[nodiscard]] virtual Result<Token> fetch(Deadline deadline, const std::stop_token& stop) = 0;
    // "workload identity": for people. Called from other threads, too.
    [[nodiscard]] virtual std::string describe() const = 0;
    // Whose tokens these are: sources with the same identity give tokens of the same identity. Without secrets.
    [[nodiscard]] virtual std::string identity() const { return describe(); }
    // From then on there is no new token. nullopt: there always is. Called from other threads, too.
    [[nodiscard]] virtual std::optional<WallTime> last_renewal() const { return std::nullopt; }
};

}  // namespace azlock::ops
