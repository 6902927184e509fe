#include "os/ancestor_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/process_tree.hpp"

namespace azlock::os {
namespace {

constexpr int kBacklog = 64;
constexpr std::size_t kMostAnswer = 512;

struct Address {
    sockaddr_un at{};
    socklen_t size = 0;
};

// Abstract: it is in no folder, and needs no clean-up. A name that is too long gives an address that nobody has.
Address address_of(const std::string& name) {
    Address out;
    out.at.sun_family = AF_UNIX;
    const std::size_t length = std::min(name.size(), sizeof out.at.sun_path - 1);
    std::memcpy(out.at.sun_path + 1, name.data(), length);
    out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    return out;
}

Fd make_socket(int flags) {
    return Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
}

// The process at the other end is we or our ancestor, as far as we can see: one of another PID namespace has no number.
// Its number is nobody else's as long as its socket is open.
bool may_be_above(int socket) {
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
    return who.pid <= 0 || who.pid == ::getpid() || descends_from(::getpid(), who.pid);
}

// A signal that stopped us for a while also ends the wait.
bool is_late(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Result<AncestorSocket> AncestorSocket::create() {
    std::string name = new_own_name();
    const Address address = address_of(name);
    Fd socket = make_socket(SOCK_NONBLOCK);
    if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.at), address.size) != 0 ||
        ::listen(socket.get(), kBacklog) != 0) {
        return fail(file_error(ErrorCode::io, "cannot make", "a socket for the command", errno));
    }
    return AncestorSocket(std::move(socket), std::move(name));
}

void AncestorSocket::answer(pid_t root, const std::string& text) const {
    for (;;) {
        const Fd asker(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!asker) {
            // Without a free descriptor the socket stays readable, and the caller would come back at once.
            if (errno != EAGAIN && errno != EWOULDBLOCK) ::usleep(10'000);
            return;
        }
        ucred who{};
        socklen_t size = sizeof who;
        if (::getsockopt(asker.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) continue;
        if (descends_from(who.pid, root)) (void)::send(asker.get(), text.data(), text.size(), MSG_NOSIGNAL);
    }
}

AncestorSays ask_ancestor(const std::string& name, std::chrono::milliseconds at_most) {
    if (name.empty()) return {};
    const Address address = address_of(name);
    const Fd socket = make_socket(0);
    if (!socket) return {};
    // 0 would be no limit.
    const auto micros = std::max<std::int64_t>(std::chrono::microseconds(at_most).count(), 1000);
    const timeval patience{micros / 1'000'000, micros % 1'000'000};
    for (const int limit : {SO_SNDTIMEO, SO_RCVTIMEO}) {
        (void)::setsockopt(socket.get(), SOL_SOCKET, limit, &patience, sizeof patience);
    }
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.at), address.size) != 0) {
        return {.silent = is_late(errno)};  // it has not yet looked at those who asked before
    }
    char text[kMostAnswer];
    const ssize_t size = ::recv(socket.get(), text, sizeof text, 0);
    if (size > 0) return {.text = std::string(text, static_cast<std::size_t>(size))};
    return {.silent = size < 0 && is_late(errno) && may_be_above(socket.get())};
}

}  // namespace azlock::os
