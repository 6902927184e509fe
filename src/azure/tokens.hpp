// The bearer token of a login, as requests use it. Where it comes from is in ops/login.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

namespace azlock::azure {

// What a token says of itself, and how long it lasts. A part that is not known is empty.
struct TokenFacts {
    std::string source;  // "workload identity": for people
    std::string tenant;
    std::string object_id;
    std::string subject;
    std::string client_id;
    std::string user;
    WallTime ends;                         // by this machine's clock
    std::optional<WallTime> last_renewal;  // from then on the source gives no new token
    bool from_cache = false;               // another process got it from the source
};

// Thread-safe.
class Tokens {
  public:
    virtual ~Tokens() = default;
    // Returns at once while there is a token that has not ended. Else waits for a new one, until the deadline at most.
    // Errors: that of the source (auth, config; unavailable if a repeat may help), unavailable (the deadline passed),
    // cancelled.
    [[nodiscard]] virtual Result<Secret> token(Deadline deadline, const std::stop_token& stop) = 0;
    // The service does not accept this token: requests wait some seconds for another one. The old one is given out
    // again if the source does not answer until then, or says that it is unavailable.
    virtual void refused(const Secret& token) = 0;
    // Makes sure that the token of this moment lasts for `life` longer, if the source has one that does. Errors: as
    // token().
    [[nodiscard]] virtual Status last_for(std::chrono::nanoseconds life, Deadline deadline,
                                          const std::stop_token& stop) = 0;
    // Of the token of this moment; nullopt: there is none yet.
    [[nodiscard]] virtual std::optional<TokenFacts> facts() const = 0;
    // "workload identity": for people.
    [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace azlock::azure
