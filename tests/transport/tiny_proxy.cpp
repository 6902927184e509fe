#include "transport/tiny_proxy.hpp"

#include <array>

#include <poll.h>
#include <sys/socket.h>

#include "base/encoding.hpp"
#include "base/text.hpp"
#include "http/dial.hpp"

namespace azlock::test {
namespace {

// "host:port" or "[v6]:port".
Fd connect_to(std::string_view target) {
    const std::size_t colon = target.rfind(':');
    std::string host(target.substr(0, colon));
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    const auto port = static_cast<std::uint16_t>(parse_u64(target.substr(colon + 1)).value_or(0));
    auto fd = http::dial(host, port, http::resolve_with_system, SystemClock().after(std::chrono::seconds(10)), {});
    return fd ? std::move(*fd) : Fd();
}

bool pass_on(int from, int to) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = ::recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    for (ssize_t done = 0; done < got;) {
        const ssize_t sent = ::send(to, buffer.data() + done, static_cast<std::size_t>(got - done), MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            pollfd fd{to, POLLOUT, 0};
            ::poll(&fd, 1, -1);
            continue;
        }
        if (sent <= 0) return false;
        done += sent;
    }
    return true;
}

// Copies bytes both ways until one side ends.
void pump(int a, int b) {
    for (;;) {
        std::array<pollfd, 2> fds{pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
        if (::poll(fds.data(), 2, -1) <= 0) return;
        if (fds[1].revents != 0 && !pass_on(b, a)) return;
        if (fds[0].revents != 0 && !pass_on(a, b)) {
            while (pass_on(b, a) && ::poll(&fds[1], 1, 0) > 0) {
            }
            return;
        }
    }
}

}  // namespace

TinyProxy::TinyProxy(std::string user_and_password)
    : authorization_(user_and_password.empty() ? "" : "Basic " + base64_encode(as_bytes(user_and_password))),
      server_([this](Wire& wire) { serve(wire); }) {}

std::string TinyProxy::last_target() {
    const std::lock_guard lock(mutex_);
    return last_target_;
}

void TinyProxy::serve(Wire& wire) {
    while (auto request = wire.read_head()) {
        if (request->headers.get("Proxy-Authorization") != authorization_) {
            wire.skip_body(request->content_length());
            wire.server().count("refused");
            wire.answer(407, {}, "Proxy-Authenticate: Basic\r\n");
        } else if (request->method != "CONNECT") {
            forward(wire, *request);
        } else {
            {
                const std::lock_guard lock(mutex_);
                last_target_ = request->target;
            }
            wire.server().count("tunnel");
            const Fd upstream = connect_to(request->target);
            if (!upstream) {
                wire.answer(502);
                return;
            }
            wire.send("HTTP/1.1 200 Connection established\r\nX-Proxy: test\r\n\r\n");
            pump(wire.fd(), upstream.get());
            return;
        }
    }
}

// Passes the request on as it is, so that the test sees what the client sent to the proxy.
void TinyProxy::forward(Wire& wire, const WireRequest& request) {
    const std::string authority = request.target.substr(7, request.target.find('/', 7) - 7);
    const Fd upstream = connect_to(authority);
    std::string message;
    for (const std::string& line : request.lines) {
        if (!istarts_with(line, "Proxy-") && !istarts_with(line, "Connection:")) message += line + "\r\n";
    }
    message += "Connection: close\r\n\r\n" + wire.read_body(request.content_length());
    wire.server().count("forwarded");
    if (!upstream) {
        wire.answer(502);
        return;
    }
    ::send(upstream.get(), message.data(), message.size(), MSG_NOSIGNAL);
    ::shutdown(upstream.get(), SHUT_WR);
    std::string answer;
    std::array<char, 4096> buffer;
    for (;;) {
        pollfd fd{upstream.get(), POLLIN, 0};
        ::poll(&fd, 1, -1);
        const ssize_t got = ::recv(upstream.get(), buffer.data(), buffer.size(), 0);
        if (got <= 0) break;
        answer.append(buffer.data(), static_cast<std::size_t>(got));
    }
    wire.send(answer);
}

}  // namespace azlock::test
