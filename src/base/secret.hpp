// Values that must never be printed, and the redaction of text that may hold one.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace azlock {

// Holds a key, SAS or token. It cannot be streamed, formatted or compared by accident. Only reveal() gives the value;
// call it only to check a credential, to sign and to send.
class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string value) : value_(std::move(value)) {}
    [[nodiscard]] const std::string& reveal() const { return value_; }
    [[nodiscard]] bool empty() const { return value_.empty(); }

  private:
    std::string value_;
};

// Replaces by "REDACTED": the values of `sig=`, `AccountKey=`, `SharedAccessSignature=`, `client_secret=` and
// `client_assertion=` (even percent-encoded, several times), bearer tokens, and Shared Key signatures (in a header, or
// in the service's message about a refused one). All other text stays the same, also a word after "Bearer" in a
// sentence. A second call changes nothing.
[[nodiscard]] std::string redact(std::string_view text);

// True if a log or a program has put this in the place of a secret: "REDACTED", "***".
[[nodiscard]] bool is_mask(std::string_view text);

}  // namespace azlock
