// Values that must never be printed, and the redaction of text that may hold one.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace azlock {

// Holds a key, SAS or token. It cannot be streamed, formatted or compared by accident; only reveal() gives it out,
// and only the signer and the wire call that.
class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string value) : value_(std::move(value)) {}
    [[nodiscard]] const std::string& reveal() const { return value_; }
    [[nodiscard]] bool empty() const { return value_.empty(); }

  private:
    std::string value_;
};

// Replaces by "REDACTED" the values of `sig=`, `AccountKey=` and `SharedAccessSignature=` (also where the text is
// percent-encoded, once or more often), bearer tokens, and Shared Key signatures in an Authorization header or in the
// service's report of a refused one. Idempotent; leaves all other text as it is.
[[nodiscard]] std::string redact(std::string_view text);

}  // namespace azlock
