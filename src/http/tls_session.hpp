// Our access to a TLS connection that the HTTP library uses: the outcome of its handshake, the last data of the peer
// after the library has given up, and writes past the library.
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
    // Sends `host` as the server name if it is a name, not an IP address.
    void set_server_name(const std::string& host);
    [[nodiscard]] bool handshake_done() const;
    // Why the peer's certificate was refused, in OpenSSL's words; empty if it was not refused.
    [[nodiscard]] std::string certificate_problem() const;
    // Decrypts what was received but not read. After that the connection cannot be used any more.
    [[nodiscard]] std::string decrypt_rest(std::string_view received);

    // Between write_to() and write_to_owner(), write() sends encrypted data to the socket, past the library. Call
    // write() only then. It returns the number of bytes that were sent, or -1 with errno. EAGAIN: the socket is full,
    // and the next call must begin with the same bytes.
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
