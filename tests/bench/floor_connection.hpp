// A blocking keep-alive connection that sends requests as cheaply as sockets and OpenSSL allow.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/encoding.hpp"
#include "base/file.hpp"

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace azlock::bench {

// "http://127.0.0.1:PORT/PATH", or https with a certificate to trust.
struct Server {
    std::string address;
    std::uint16_t port = 0;
    std::shared_ptr<SSL_CTX> tls;  // null: plain http
};

// A client's context that trusts the certificates in a file and no others. Throws if the file cannot be read.
[[nodiscard]] std::shared_ptr<SSL_CTX> make_tls(const std::string& certificate_file);

// All failures throw: there is nothing to measure then.
class FloorConnection {
  public:
    explicit FloorConnection(const Server& server);
    ~FloorConnection();
    FloorConnection(const FloorConnection&) = delete;
    FloorConnection& operator=(const FloorConnection&) = delete;

    // Sends head (with its empty line) and body, and reads the whole answer, whose status must be `expected`.
    void exchange(std::string_view head, ByteView body, int expected);

  private:
    void send(std::string_view head, ByteView body);
    std::size_t receive(char* out, std::size_t size);

    Fd socket_;
    SSL* ssl_ = nullptr;
};

}  // namespace azlock::bench
