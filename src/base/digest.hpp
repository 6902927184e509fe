// Hashes and HMAC. Only digest.cpp, signing_key.cpp, http/tls_session.cpp and http/tls_trust.cpp use OpenSSL directly.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "base/encoding.hpp"

using EVP_MD_CTX = struct evp_md_ctx_st;

namespace azlock {

using Md5Sum = std::array<std::byte, 16>;
using Sha256Sum = std::array<std::byte, 32>;

[[nodiscard]] Sha256Sum hmac_sha256(ByteView key, ByteView data);
[[nodiscard]] Sha256Sum sha256(ByteView data);
[[nodiscard]] Md5Sum md5(ByteView data);

// An incremental hash. Call update() any number of times, then finish() once. Not thread-safe.
template <typename Sum>
class Digest {
  public:
    Digest();
    void update(ByteView data);
    [[nodiscard]] Sum finish();

  private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const;
    };
    std::unique_ptr<EVP_MD_CTX, Free> context_;
};
using Sha256 = Digest<Sha256Sum>;
using Md5 = Digest<Md5Sum>;

// Call it first in main(). It stops OpenSSL from installing an exit handler, which would race with the HTTP library's
// threads.
void init_crypto();

// The version of the loaded library: "OpenSSL 3.0.19 27 Jan 2026".
[[nodiscard]] std::string crypto_version();

}  // namespace azlock
