// The private key of a certificate: signs what a JWT needs (PS256).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

using EVP_PKEY = struct evp_pkey_st;

namespace azlock {

class SigningKey {
  public:
    // `file` holds a certificate and its RSA key, in PEM or PKCS#12 (PFX). `passphrase` may be empty. Errors (config),
    // which do not show the content: no certificate, no key, no certificate of that key, a wrong passphrase, a cipher
    // that OpenSSL does not have (the hint says how to convert the file), not RSA.
    [[nodiscard]] static Result<SigningKey> read(std::string_view file, const Secret& passphrase);

    // RSASSA-PSS with SHA-256, MGF1 of SHA-256 and a salt of 32 bytes.
    [[nodiscard]] Bytes sign(ByteView data) const;
    // The certificates in DER, that of the key first.
    [[nodiscard]] const std::vector<Bytes>& chain() const { return chain_; }
    // When the certificate of the key ends.
    [[nodiscard]] WallTime ends() const { return ends_; }

  private:
    struct Free {
        void operator()(EVP_PKEY* key) const;
    };
    std::unique_ptr<EVP_PKEY, Free> key_;
    std::vector<Bytes> chain_;
    WallTime ends_;
};

}  // namespace azlock
