// Certificates made on the fly, and the server's side of a TLS connection: the only part of the test server that sees
// OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <vector>

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace azlock::test {

struct WireIdentity {
    // What the certificate is good for: DNS names and IP addresses.
    std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1"};
    bool expired = false;
};

// A root made once per process, and its certificate as PEM text for --ca-file.
[[nodiscard]] const std::string& test_root_pem();

// What a server needs to accept TLS connections with a certificate signed by that root.
class WireTls {
  public:
    explicit WireTls(const WireIdentity& identity);
    // The handshake on a connected blocking socket. Null if it failed.
    struct Free {
        void operator()(SSL* ssl) const;
    };
    using Session = std::unique_ptr<SSL, Free>;
    [[nodiscard]] Session accept(int fd) const;

    // Like recv() and send(): -1 on any failure, 0 at the end.
    static long read(SSL* ssl, void* out, std::size_t size);
    static long write(SSL* ssl, const void* data, std::size_t size);
    // Sends close_notify.
    static void close(SSL* ssl);

  private:
    std::shared_ptr<SSL_CTX> context_;
};

}  // namespace azlock::test
