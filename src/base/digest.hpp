// Hashes and HMAC. Only digest.cpp, http/tls_session.cpp and http/tls_trust.cpp use OpenSSL directly.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "base/encoding.hpp"

namespace azlock {

using Md5Sum = std::array<std::byte, 16>;
using Sha256Sum = std::array<std::byte, 32>;

[[nodiscard]] Sha256Sum hmac_sha256(ByteView key, ByteView data);
[[nodiscard]] Sha256Sum sha256(ByteView data);
[[nodiscard]] Md5Sum md5(ByteView data);

namespace detail {
struct DigestContext;
struct DigestContextDeleter {
    void operator()(DigestContext* context) const;
};
using DigestContextPtr = std::unique_ptr<DigestContext, DigestContextDeleter>;
}  // namespace detail

// Incremental hashes. Call update() any number of times, then finish() once. Not thread-safe.
class Sha256 {
  public:
    Sha256();
    void update(ByteView data);
    [[nodiscard]] Sha256Sum finish();

  private:
    detail::DigestContextPtr context_;
};

class Md5 {
  public:
    Md5();
    void update(ByteView data);
    [[nodiscard]] Md5Sum finish();

  private:
    detail::DigestContextPtr context_;
};

// Call it first in main(). It stops OpenSSL from installing an exit handler, which would race with the HTTP library's
// threads.
void init_crypto();

// The version of the loaded library: "OpenSSL 3.0.19 27 Jan 2026".
[[nodiscard]] std::string crypto_version();

}  // namespace azlock
