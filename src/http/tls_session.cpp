#include "http/tls_session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "base/needs_memory.hpp"
#include "http/message.hpp"

namespace azlock::http {
namespace {

// OpenSSL's own socket BIO raises SIGPIPE and sends each record alone. More data always follows here, so MSG_MORE is
// set.
int send_record(BIO* bio, const char* data, int size) {
    const auto socket = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
    const ssize_t sent = ::send(socket, data, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_MORE);
    BIO_clear_retry_flags(bio);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return static_cast<int>(sent);
}

long control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
    static const BIO_METHOD* const method = [] {
        BIO_METHOD* made = needs_memory(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "azlock socket"));
        BIO_meth_set_write(made, send_record);
        BIO_meth_set_ctrl(made, control);
        return made;
    }();
    return method;
}

}  // namespace

TlsSession::TlsSession(SSL* ssl) : ssl_(ssl) {
    SSL_up_ref(ssl);
}

void TlsSession::Release::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

void TlsSession::set_server_name(const std::string& host) {
    if (!is_ip_address(host)) SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
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
    BIO* in = needs_memory(BIO_new_mem_buf(received.data(), static_cast<int>(received.size())));
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

void TlsSession::write_to(int socket) {
    BIO* bio = needs_memory(BIO_new(socket_method()));
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
    BIO_set_init(bio, 1);
    SSL_set0_wbio(ssl_.get(), bio);
}

long TlsSession::write(ByteView data) {
    errno = 0;
    const int sent = SSL_write(ssl_.get(), data.data(), static_cast<int>(std::min<std::size_t>(data.size(), INT_MAX)));
    if (sent > 0) return sent;
    const int code = errno != 0 ? errno : EPROTO;
    ERR_clear_error();
    errno = code;
    return -1;
}

void TlsSession::write_to_owner() {
    // The library reads and writes through the same BIO.
    BIO* owners = SSL_get_rbio(ssl_.get());
    BIO_up_ref(owners);
    SSL_set0_wbio(ssl_.get(), owners);
}

}  // namespace azlock::http
