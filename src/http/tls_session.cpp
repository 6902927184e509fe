#include "http/tls_session.hpp"

#include <array>
#include <climits>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace azlock::http {

TlsSession::TlsSession(SSL* ssl) : ssl_(ssl) {
    SSL_up_ref(ssl);
}

void TlsSession::Release::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

void TlsSession::set_server_name(const std::string& host) {
    std::array<unsigned char, 16> bytes{};
    if (::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) return;
    if (::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) return;
    SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
}

bool TlsSession::handshake_done() const {
    return SSL_is_init_finished(ssl_.get()) == 1;
}

std::string TlsSession::certificate_problem() const {
    const long result = SSL_get_verify_result(ssl_.get());
    return result == X509_V_OK ? std::string() : std::string(X509_verify_cert_error_string(result));
}

std::string TlsSession::decrypt_rest(std::string_view received) {
    std::string plain;
    if (received.size() > INT_MAX || !handshake_done()) return plain;
    BIO* in = BIO_new_mem_buf(received.data(), static_cast<int>(received.size()));
    BIO_set_mem_eof_return(in, -1);
    SSL_set_bio(ssl_.get(), in, BIO_new(BIO_s_mem()));
    std::array<char, 16 * 1024> buffer;
    for (;;) {
        const int got = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
        if (got <= 0) break;
        plain.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ERR_clear_error();
    return plain;
}

}  // namespace azlock::http
