#include "http/tunnel.hpp"

#include <array>
#include <cerrno>
#include <string>

#include <poll.h>
#include <sys/socket.h>

#include "base/wait.hpp"
#include "http/dial.hpp"
#include "http/response_head.hpp"
#include "http/transport_error.hpp"

namespace azlock::http {
namespace {

constexpr std::size_t kLongestHead = 16 * 1024;

class Tunnel {
  public:
    Tunnel(int fd, const Proxy& proxy, Deadline deadline, const std::stop_token& stop)
        : fd_(fd), name_("the proxy " + proxy.to_string()), deadline_(deadline), stop_(stop) {}

    Status send_all(std::string_view text) {
        while (!text.empty()) {
            if (auto ready = wait(POLLOUT); !ready) return ready;
            const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EAGAIN) continue;
            if (sent < 0) return broken();
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return {};
    }

    // Reads the head from the socket and not a byte more: what follows belongs to the tunnel.
    Result<ResponseHead> read_head() {
        std::string head;
        while (head.size() < kLongestHead) {
            if (auto ready = wait(POLLIN); !ready) return fail(ready.error());
            std::array<char, 4096> buffer;
            const ssize_t seen = ::recv(fd_, buffer.data(), buffer.size(), MSG_PEEK);
            if (seen < 0 && errno == EAGAIN) continue;
            if (seen <= 0) return fail(broken().error());
            const std::size_t before = head.size();
            head.append(buffer.data(), static_cast<std::size_t>(seen));
            const std::size_t end = head.find("\r\n\r\n", before < 3 ? 0 : before - 3);
            if (end != std::string::npos) head.resize(end + 4);
            if (::recv(fd_, buffer.data(), head.size() - before, 0) < 0) return fail(broken().error());
            if (end == std::string::npos) continue;
            if (auto parsed = parse_response_head(head)) return std::move(*parsed);
            break;
        }
        return fail(transport_error(TransportFault::malformed, name_ + " did not answer with HTTP"));
    }

    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    Status wait(short events) {
        switch (wait_ready(fd_, events, deadline_, SystemClock(), stop_)) {
            case Wake::ready: return {};
            case Wake::stopped: return fail(stopped_error());
            case Wake::deadline: break;
        }
        return fail(timeout_error("no answer from " + name_ + " in the time allowed"));
    }

    [[nodiscard]] Status broken() const {
        return fail(transport_error(TransportFault::connect, name_ + " closed the connection"));
    }

    int fd_;
    std::string name_;
    Deadline deadline_;
    StopSignal stop_;
};

}  // namespace

Status open_tunnel(int fd, const Proxy& proxy, const Origin& origin, Deadline deadline, const std::stop_token& stop) {
    Tunnel tunnel(fd, proxy, deadline, stop);
    const std::string target = host_and_port(origin.host, origin.port);
    std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
    if (!proxy.authorization.empty()) request += "Proxy-Authorization: " + proxy.authorization.reveal() + "\r\n";
    request += "\r\n";
    if (auto sent = tunnel.send_all(request); !sent) return sent;
    auto head = tunnel.read_head();
    if (!head) return fail(head.error());
    if (head->status / 100 == 2) return {};
    Error error = transport_error(TransportFault::connect, tunnel.name() + " refused a connection to " + target +
                                                               " (status " + std::to_string(head->status) + ")");
    if (head->status == 407) error.hint = "give the proxy's user and password in " + proxy.variable;
    return fail(std::move(error));
}

}  // namespace azlock::http
