// Our own hold on a TLS connection that the HTTP library drives: what became of its handshake, and what its peer sent
// last when the library has given it up.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/encoding.hpp"

using SSL = struct ssl_st;

namespace azlock::http {

// Not thread-safe: nobody else may be using the connection during a call.
class TlsSession {
  public:
    TlsSession() = default;
    // Takes a reference of its own.
    explicit TlsSession(SSL* ssl);

    explicit operator bool() const { return ssl_ != nullptr; }
    // Sends `host` as the server name, where it is a name.
    void set_server_name(const std::string& host);
    [[nodiscard]] bool handshake_done() const;
    // Why the peer's certificate was refused, in OpenSSL's words; empty where it was not.
    [[nodiscard]] std::string certificate_problem() const;
    // Decrypts what was received but not read. The connection is of no other use after that.
    [[nodiscard]] std::string decrypt_rest(std::string_view received);

    // From write_to() to write_to_owner() what write() encrypts goes to the socket, past the library; only then may
    // write() be called. It returns how many bytes went, or -1 with errno: EAGAIN where the socket is full (the next
    // call must begin with the same bytes).
    void write_to(int socket);
    [[nodiscard]] long write(ByteView data);
    void write_to_owner();

  private:
    struct Release {
        void operator()(SSL* ssl) const;
    };
    std::unique_ptr<SSL, Release> ssl_;
};

}  // namespace azlock::http
