// The trusted roots of all TLS connections: one OpenSSL store, shared, filled as late as possible.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

using X509_STORE = struct x509_store_st;
using SSL_CTX = struct ssl_ctx_st;

namespace azlock::http {

// Roots are looked up in this order: `ca_file`; the system's directory of hashed certificates (SSL_CERT_DIR or
// OpenSSL's default), where each is read when it is needed; the bundles (SSL_CERT_FILE and OpenSSL's default one). The
// bundles are read whole, and only for an issuer that was not found before: a bundle of 145 certificates costs 20 ms.
// Thread-safe.
class TrustStore {
  public:
    // ErrorCode::config if `ca_file` is given and cannot be read or holds no certificate; io if the system gives no
    // descriptor for it. `bundles` are read only when they are needed. A bundle that cannot be read counts as empty.
    [[nodiscard]] static Result<std::shared_ptr<const TrustStore>> load(const std::string& ca_file,
                                                                        std::vector<std::string> bundles);
    // SSL_CERT_FILE, if set, and OpenSSL's default bundle.
    [[nodiscard]] static std::vector<std::string> default_bundles();

    TrustStore(const TrustStore&) = delete;
    TrustStore& operator=(const TrustStore&) = delete;
    ~TrustStore();

    // Makes a context of a client trust these roots and no others, accept only certificates for `host` (name or IP
    // address) and speak TLS 1.2 or newer.
    void apply(SSL_CTX* context, const std::string& host) const;

    // True if a bundle was not read because the system gave no descriptor for it. Then a certificate that is refused
    // may be good.
    [[nodiscard]] bool out_of_files() const { return *out_of_files_; }

  private:
    explicit TrustStore(X509_STORE* store) : store_(store) {}
    X509_STORE* store_;
    std::shared_ptr<std::atomic<bool>> out_of_files_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace azlock::http
