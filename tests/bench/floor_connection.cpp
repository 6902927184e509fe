#include "bench/floor_connection.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "base/text.hpp"

namespace azlock::bench {
namespace {

void require(bool ok, const char* what) {
    if (!ok) throw std::runtime_error(what);
}

// As one message, so that a small request is one packet.
void send_plain(int socket, std::string_view head, ByteView body) {
    while (!head.empty() || !body.empty()) {
        std::array<iovec, 2> parts{
            {{const_cast<char*>(head.data()), head.size()}, {const_cast<std::byte*>(body.data()), body.size()}}};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
        require(sent > 0, "the server broke the connection");
        const std::size_t of_head = std::min(head.size(), static_cast<std::size_t>(sent));
        head.remove_prefix(of_head);
        body = body.subspan(static_cast<std::size_t>(sent) - of_head);
    }
}

void send_encrypted(SSL* ssl, ByteView data) {
    while (!data.empty()) {
        const int sent = SSL_write(ssl, data.data(), static_cast<int>(std::min<std::size_t>(data.size(), INT_MAX)));
        require(sent > 0, "the server broke the TLS connection");
        data = data.subspan(static_cast<std::size_t>(sent));
    }
}

std::uint64_t length_of_answer(std::string_view head) {
    for (const std::string_view line : split(head, '\n')) {
        if (istarts_with(line, "content-length:")) return parse_u64(trim(line.substr(15))).value_or(0);
    }
    return 0;
}

}  // namespace

std::shared_ptr<SSL_CTX> make_tls(const std::string& certificate_file) {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    require(SSL_CTX_load_verify_file(context.get(), certificate_file.c_str()) == 1, "cannot read the certificate");
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    return context;
}

FloorConnection::FloorConnection(const Server& server) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port);
    require(::inet_pton(AF_INET, server.address.c_str(), &address.sin_addr) == 1, "the server has to be an address");
    require(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "cannot connect");
    const int on = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!server.tls) return;
    ssl_ = SSL_new(server.tls.get());
    SSL_set_fd(ssl_, socket_.get());
    require(SSL_connect(ssl_) == 1, "no TLS connection");
}

FloorConnection::~FloorConnection() {
    SSL_free(ssl_);
}

void FloorConnection::send(std::string_view head, ByteView body) {
    if (ssl_ == nullptr) return send_plain(socket_.get(), head, body);
    send_encrypted(ssl_, as_bytes(head));
    send_encrypted(ssl_, body);
}

std::size_t FloorConnection::receive(char* out, std::size_t size) {
    const ssize_t got = ssl_ == nullptr ? ::recv(socket_.get(), out, size, 0)
                                        : SSL_read(ssl_, out, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
    require(got > 0, "no answer");
    return static_cast<std::size_t>(got);
}

void FloorConnection::exchange(std::string_view head, ByteView body, int expected) {
    send(head, body);
    std::array<char, 16 * 1024> buffer;
    std::size_t size = 0;
    std::size_t end = std::string_view::npos;
    while (end == std::string_view::npos) {
        require(size < buffer.size(), "the answer's head is too long");
        size += receive(buffer.data() + size, buffer.size() - size);
        end = std::string_view(buffer.data(), size).find("\r\n\r\n");
    }
    const std::string_view answer(buffer.data(), end);
    require(answer.substr(0, 9) == "HTTP/1.1 ", "the answer is not HTTP");
    require(answer.substr(9, 3) == std::to_string(expected), "the server refused a request");
    std::uint64_t left = length_of_answer(answer);
    for (left -= std::min<std::uint64_t>(left, size - end - 4); left > 0;) {
        left -= receive(buffer.data(), std::min<std::uint64_t>(buffer.size(), left));
    }
}

}  // namespace azlock::bench
