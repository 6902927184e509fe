#include "http/dial.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "base/system_limit.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"
#include "http/transport_error.hpp"

namespace azlock::http {
namespace {

using Addresses = Result<std::vector<SocketAddress>>;

// A dead address must not use up the time of the next one.
constexpr std::chrono::seconds kTryNextAfter{5};

Addresses lookup(const std::string& host, std::uint16_t port, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (status != 0) {
        if (const auto limit = status == EAI_SYSTEM ? reached_limit(errno) : std::nullopt) {
            return fail(limit_error(*limit));
        }
        const std::string why = status == EAI_SYSTEM ? errno_text(errno) : to_lower(::gai_strerror(status));
        return fail(transport_error(TransportFault::resolve, "cannot resolve " + printable(host) + ": " + why));
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
    std::vector<SocketAddress> out;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
        SocketAddress address;
        std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
        address.size = at->ai_addrlen;
        out.push_back(address);
    }
    return out;
}

// Shared with the thread that looks up the name. That thread may outlive the wait for it.
struct Lookup {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<Addresses> answer;
};

Addresses resolve_within(const std::string& host, std::uint16_t port, const Resolver& resolver, Deadline deadline,
                         const std::stop_token& stop) {
    if (auto literal = lookup(host, port, AI_NUMERICHOST)) return literal;
    const auto shared = std::make_shared<Lookup>();
    try {
        std::thread([shared, host, port, resolver] {
            Addresses answer = resolver(host, port);
            const std::lock_guard lock(shared->mutex);
            shared->answer = std::move(answer);
            shared->changed.notify_all();
        }).detach();
    } catch (const std::system_error&) {
        return resolver(host, port);  // without a time limit, but a lease can be kept so
    }
    std::unique_lock lock(shared->mutex);
    for (;;) {
        const auto slice = wait_slice(deadline, SystemClock());
        if (shared->changed.wait_for(lock, stop, slice, [&] { return shared->answer.has_value(); })) {
            return std::move(*shared->answer);
        }
        if (stop.stop_requested()) return fail(stopped_error());
        if (slice.count() == 0) return fail(timeout_error("the lookup of " + printable(host) + " took too long"));
    }
}

Result<Fd> connect_one(const SocketAddress& address, const std::string& where, Deadline deadline,
                       const StopSignal& stop) {
    const auto refused = [&](int errno_value) {
        return fail(
            transport_error(TransportFault::connect, "cannot connect to " + where + ": " + errno_text(errno_value)));
    };
    Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    if (const auto limit = fd ? std::nullopt : reached_limit(errno)) return fail(limit_error(*limit));
    if (!fd) return refused(errno);
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return fd;
    if (errno != EINPROGRESS) return refused(errno);
    switch (wait_ready(fd.get(), POLLOUT, deadline, SystemClock(), stop)) {
        case Wake::stopped: return fail(stopped_error());
        case Wake::deadline: return fail(timeout_error("no connection to " + where + " in the time allowed"));
        case Wake::ready: break;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return refused(error);
    return fd;
}

}  // namespace

std::string host_and_port(const std::string& host, std::uint16_t port) {
    const bool brackets = host.find(':') != std::string::npos;
    return printable((brackets ? "[" + host + "]" : host) + ":" + std::to_string(port));
}

Addresses resolve_with_system(const std::string& host, std::uint16_t port) {
    return lookup(host, port, AI_ADDRCONFIG);
}

Result<Fd> dial(const std::string& host, std::uint16_t port, const Resolver& resolver, Deadline deadline,
                const std::stop_token& stop) {
    const std::string where = host_and_port(host, port);
    const auto addresses = resolve_within(host, port, resolver, deadline, stop);
    if (!addresses) return fail(addresses.error());
    Result<Fd> outcome = fail(transport_error(TransportFault::resolve, "cannot resolve " + printable(host)));
    const StopSignal signal(stop);
    const SystemClock clock;
    for (std::size_t i = 0; i < addresses->size(); ++i) {
        const bool last = i + 1 == addresses->size();
        const Deadline until = last ? deadline : std::min(deadline, clock.after(kTryNextAfter));
        outcome = connect_one((*addresses)[i], where, until, signal);
        if (outcome || outcome.error().code == ErrorCode::cancelled || outcome.error().code == ErrorCode::io ||
            clock.now() >= deadline)
            break;
    }
    return outcome;
}

}  // namespace azlock::http
