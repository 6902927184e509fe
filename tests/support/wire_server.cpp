#include "support/wire_server.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/text.hpp"

namespace azlock::test {
namespace {

void parse_head(WireRequest& request) {
    const std::string& first = request.lines.at(0);
    const std::size_t space = first.find(' ');
    const std::size_t end = first.rfind(' ');
    if (space == std::string::npos || end <= space) throw std::runtime_error("not a request line: " + first);
    request.method = first.substr(0, space);
    request.target = first.substr(space + 1, end - space - 1);
    for (std::size_t i = 1; i < request.lines.size(); ++i) {
        const std::string_view line = request.lines[i];
        const std::size_t colon = line.find(':');
        request.headers.set(line.substr(0, colon), std::string(trim(line.substr(colon + 1))));
    }
}

}  // namespace

std::uint64_t WireRequest::content_length() const {
    return parse_u64(headers.get("Content-Length")).value_or(0);
}

Wire::Wire(WireServer& server, Fd fd, WireTls::Session tls, int number)
    : server_(server), fd_(std::move(fd)), tls_(std::move(tls)), number_(number) {}

long Wire::receive(void* out, std::size_t size) {
    if (!fd_) return -1;
    return tls_ ? WireTls::read(tls_.get(), out, size) : ::recv(fd_.get(), out, size, 0);
}

std::optional<WireRequest> Wire::read_head() {
    std::array<char, 16 * 1024> buffer;
    std::size_t end;
    while ((end = ahead_.find("\r\n\r\n")) == std::string::npos) {
        const long got = receive(buffer.data(), buffer.size());
        if (got <= 0) return std::nullopt;
        ahead_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    WireRequest request;
    for (std::string_view rest = std::string_view(ahead_).substr(0, end + 2); !rest.empty();) {
        const std::size_t stop = rest.find("\r\n");
        request.lines.emplace_back(rest.substr(0, stop));
        rest.remove_prefix(stop + 2);
    }
    ahead_.erase(0, end + 4);
    parse_head(request);
    return request;
}

std::string Wire::read_body(std::uint64_t size) {
    std::string body = ahead_.substr(0, size);
    ahead_.erase(0, body.size());
    while (body.size() < size) {
        const std::size_t before = body.size();
        body.resize(std::min<std::uint64_t>(size, before + 256 * 1024));
        const long got = receive(body.data() + before, body.size() - before);
        body.resize(before + static_cast<std::size_t>(std::max(got, 0L)));
        if (got <= 0) break;
    }
    return body;
}

std::uint64_t Wire::skip_body(std::uint64_t size) {
    constexpr std::size_t kPiece = 256 * 1024;
    std::uint64_t done = std::min<std::uint64_t>(size, ahead_.size());
    ahead_.erase(0, done);
    if (done < size) discarded_.resize(kPiece);
    while (done < size && fd_) {
        // With MSG_TRUNC the kernel drops the bytes and copies nothing. (The buffer is there for ThreadSanitizer, which
        // thinks that the kernel writes to it.)
        const std::size_t wanted = std::min<std::uint64_t>(kPiece, size - done);
        const long got =
            tls_ ? receive(discarded_.data(), wanted) : ::recv(fd_.get(), discarded_.data(), wanted, MSG_TRUNC);
        if (got <= 0) break;
        done += static_cast<std::uint64_t>(got);
    }
    return done;
}

std::optional<WireRequest> Wire::read_request() {
    auto request = read_head();
    if (request && skip_body(request->content_length()) != request->content_length()) return std::nullopt;
    return request;
}

bool Wire::send(std::string_view bytes) {
    while (!bytes.empty()) {
        if (!fd_) return false;
        const long sent = tls_ ? WireTls::write(tls_.get(), bytes.data(), bytes.size())
                               : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool Wire::answer(int status, std::string_view body, std::string_view extra) {
    return send("HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n" + std::string(extra) + "\r\n" + std::string(body));
}

void Wire::finish_sending() {
    if (tls_) WireTls::close(tls_.get());
    ::shutdown(fd_.get(), SHUT_WR);
}

void Wire::close() {
    if (!fd_) return;
    if (tls_) WireTls::close(tls_.get());
    server_.forget(fd_.get());
    fd_.reset();
}

void Wire::reset() {
    const linger now{1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    server_.forget(fd_.get());
    fd_.reset();
}

void Wire::wait_for_client() {
    pollfd fd{fd_.get(), POLLRDHUP, 0};
    while (::poll(&fd, 1, -1) < 0) {
    }
}

WireServer::WireServer(Script script, WireOptions options) : script_(std::move(script)), options_(std::move(options)) {
    if (options_.tls) tls_.emplace(options_.identity);
    listen();
    acceptor_ = std::thread([this] {
        for (;;) {
            const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0) return;
            // A small answer must be sent at once. If it waited for an acknowledgement, a reset would discard it.
            const int on = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            const std::lock_guard lock(mutex_);
            if (stopping_) {
                Fd(fd).reset();
                return;
            }
            open_.push_back(fd);
            threads_.emplace_back([this, fd, number = connections_++] { run(fd, number); });
        }
    });
}

void WireServer::listen() {
    listener_ = Fd(::socket(options_.ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (options_.receive_buffer > 0) {
        ::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &options_.receive_buffer, sizeof options_.receive_buffer);
    }
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    auto* address = options_.ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = options_.ipv6 ? sizeof v6 : sizeof v4;
    if (::bind(listener_.get(), address, size) != 0 || ::listen(listener_.get(), 512) != 0) {
        throw std::runtime_error("the test server cannot listen");
    }
    ::getsockname(listener_.get(), address, &size);
    port_ = ntohs(options_.ipv6 ? v6.sin6_port : v4.sin_port);
}

void WireServer::run(int fd, int number) {
    // OpenSSL writes without MSG_NOSIGNAL. Only the server's threads block SIGPIPE, not the client under test.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    Fd owned(fd);
    WireTls::Session tls;
    if (tls_) {
        tls = tls_->accept(fd);
        count(tls ? "tls handshake" : "tls failure");
        if (!tls) {
            forget(fd);
            return;
        }
    }
    Wire wire(*this, std::move(owned), std::move(tls), number);
    script_(wire);
    wire.close();
}

void WireServer::forget(int fd) {
    const std::lock_guard lock(mutex_);
    std::erase(open_, fd);
}

WireServer::~WireServer() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
}

http::Origin WireServer::origin() const {
    return {options_.tls, options_.ipv6 ? "::1" : "127.0.0.1", port_};
}

void WireServer::count(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++counters_[what];
    changed_.notify_all();
}

int WireServer::counted(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return counters_[what];
}

bool WireServer::wait_for(const std::string& what, int times) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return counters_[what] >= times; });
}

WireServer::Script answer_everything(std::string body) {
    return [body = std::move(body)](Wire& wire) {
        while (wire.read_request()) {
            wire.server().count("request");
            if (!wire.answer(200, body)) return;
        }
    };
}

}  // namespace azlock::test
