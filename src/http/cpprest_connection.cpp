#include "http/cpprest_connection.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include <cpprest/http_client.h>
#include <cpprest/version.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pplx/threadpool.h>
#include <sys/socket.h>

#include "http/cpprest_message.hpp"

namespace azlock::http {
namespace {

using boost::asio::ip::tcp;
using TlsStream = boost::asio::ssl::stream<tcp::socket&>;

// The library's timer limits only single steps, and a slow line can add up many of them. Our own deadline limits the
// whole.
constexpr std::chrono::hours kLibraryTimeout{24 * 7};

// Runs a continuation on the thread that finished the step before it: a switch to another thread costs more than the
// continuation.
struct InlineScheduler final : pplx::scheduler_interface {
    void schedule(pplx::TaskProc_t run, void* parameter) override { run(parameter); }
};

// The library looks up this name and connects to it, without effect: its socket is already connected (see Connection).
// No TCP connection to this address is possible, so nothing can ever be sent to a wrong place.
std::string placeholder_host() {
    addrinfo hints{};
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    // Fails on a host that has no IPv4 address besides loopback, but has IPv6.
    if (::getaddrinfo("255.255.255.255", "1", &hints, &found) != 0) return "localhost";
    ::freeaddrinfo(found);
    return "255.255.255.255";
}

// Data for the library's callbacks of one connection. The callbacks may run after the Connection is gone.
struct ConnectionHooks {
    std::mutex mutex;
    Fd handover;  // the connected socket, until the library takes it
    int family = AF_INET;
    TlsSession tls;                              // empty for plain http
    web::http::http_request* request = nullptr;  // while it is being started, on the sender's thread
    Origin origin;

    void on_socket(void* handle) {
        const std::lock_guard lock(mutex);
        auto* stream = origin.tls ? static_cast<TlsStream*>(handle) : nullptr;
        tcp::socket& socket = stream != nullptr ? stream->next_layer() : *static_cast<tcp::socket*>(handle);
        if (!socket.is_open()) {
            if (!handover) throw NoSecondSend();
            socket.assign(family == AF_INET6 ? tcp::v6() : tcp::v4(), handover.release());
            if (stream != nullptr) {
                tls = TlsSession(stream->native_handle());
                tls.set_server_name(origin.host);
            }
        }
        // Up to this point the library used the Host header as the name to expect in the certificate.
        if (request != nullptr) request->headers()["Host"] = origin.authority();
    }
};

}  // namespace

struct Connection::State {
    State(Fd connected, const Origin& origin, bool via_proxy, std::shared_ptr<const TrustStore> trust)
        : socket(std::make_shared<const Fd>(std::move(connected))), hooks(std::make_shared<ConnectionHooks>()) {
        hooks->origin = origin;
        hooks->handover = Fd(::fcntl(socket->get(), F_DUPFD_CLOEXEC, 0));
        socklen_t size = sizeof hooks->family;
        ::getsockopt(socket->get(), SOL_SOCKET, SO_DOMAIN, &hooks->family, &size);

        web::http::client::http_client_config config;
        config.set_chunksize(kChunk);
        config.set_timeout(kLibraryTimeout);
        config.set_max_redirects(0);
        config.set_tlsext_sni_enabled(false);
        config.set_nativehandle_options([hooks = hooks](void* handle) { hooks->on_socket(handle); });
        config.set_ssl_context_callback([trust, host = origin.host](boost::asio::ssl::context& context) {
            trust->apply(context.native_handle(), host);
        });
        const std::string nowhere = placeholder_host() + ":" + std::to_string(origin.port);
        // With a proxy the absolute request target names the origin, and the library connects to the proxy.
        if (via_proxy) config.set_proxy(web::web_proxy("http://" + nowhere));
        client = std::make_unique<web::http::client::http_client>(
            via_proxy ? origin.to_string() : (origin.tls ? "https://" : "http://") + nowhere, config);
    }

    void set_current(web::http::http_request* request) const {
        const std::lock_guard lock(hooks->mutex);
        hooks->request = request;
    }

    std::shared_ptr<const Fd> socket;
    std::shared_ptr<ConnectionHooks> hooks;
    std::unique_ptr<web::http::client::http_client> client;
};

Connection::Connection(Fd socket, const Origin& origin, bool via_proxy, std::shared_ptr<const TrustStore> trust)
    : state_(std::make_unique<State>(std::move(socket), origin, via_proxy, std::move(trust))) {}

Connection::~Connection() = default;

const std::shared_ptr<const Fd>& Connection::socket() const {
    return state_->socket;
}

DirectLine Connection::line() const {
    return {state_->socket->get(), state_->hooks->tls ? &state_->hooks->tls : nullptr};
}

bool Connection::usable() const {
    pollfd fd{state_->socket->get(), POLLIN | POLLRDHUP, 0};
    return ::poll(&fd, 1, 0) == 0;
}

void Connection::start(const Request& request, const Proxy* proxy, const std::shared_ptr<Exchange>& exchange,
                       bool direct) {
    auto message = make_message(request, proxy, exchange, direct);
    const auto answer = [&] {
        struct Clear {
            const State& state;
            ~Clear() { state.set_current(nullptr); }
        };
        state_->set_current(&message);
        const Clear clear{*state_};
        return state_->client->request(message);
    }();
    follow(answer, exchange);
}

void start_library(int threads) {
    static std::once_flag once;
    std::call_once(once, [threads] {
        const auto cores = static_cast<int>(std::thread::hardware_concurrency());
        const int count = threads > 0 ? std::min(threads, 8) : std::clamp(cores, 2, 4);
        pplx::set_ambient_scheduler(std::make_shared<InlineScheduler>());
        crossplat::threadpool::initialize_with_threads(static_cast<std::size_t>(count));
    });
}

std::string cpprest_version() {
    return std::to_string(CPPREST_VERSION_MAJOR) + "." + std::to_string(CPPREST_VERSION_MINOR) + "." +
           std::to_string(CPPREST_VERSION_REVISION);
}

}  // namespace azlock::http
