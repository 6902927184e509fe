// The trusted roots of all TLS connections: one OpenSSL store, shared, filled as late as possible.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

using X509_STORE = struct x509_store_st;
using SSL_CTX = struct ssl_ctx_st;

namespace azlock::http {

// Roots come from, in this order: `ca_file`, the system's directory of hashed certificates (SSL_CERT_DIR or OpenSSL's
// default; read one by one, as they are needed), and only for an issuer found in none of these the bundles, whole:
// SSL_CERT_FILE and OpenSSL's default one. A bundle of 145 certificates costs 20 ms to read. Thread-safe.
class TrustStore {
  public:
    // ErrorCode::config where `ca_file` is given and cannot be read or holds no certificate. `bundles` are not looked
    // at before they are needed; one that cannot be read holds nothing.
    [[nodiscard]] static Result<std::shared_ptr<const TrustStore>> load(const std::string& ca_file,
                                                                        std::vector<std::string> bundles);
    // SSL_CERT_FILE, where set, and OpenSSL's default bundle.
    [[nodiscard]] static std::vector<std::string> default_bundles();

    TrustStore(const TrustStore&) = delete;
    TrustStore& operator=(const TrustStore&) = delete;
    ~TrustStore();

    // Makes a context of a client trust these roots and no others, accept only certificates for `host` (name or IP
    // address) and speak TLS 1.2 or newer.
    void apply(SSL_CTX* context, const std::string& host) const;

  private:
    explicit TrustStore(X509_STORE* store) : store_(store) {}
    X509_STORE* store_;
};

}  // namespace azlock::http
