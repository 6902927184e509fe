// The adapter to cpprestsdk. The library does TLS, sending and the framing of answers. We make the connections and give
// them to it (one http_client each). So we control name lookups, proxies, deadlines, stale connections and early
// answers, and the library cannot repeat a request.
#include "http/cpprest_transport.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/system_limit.hpp"
#include "http/attempt.hpp"
#include "http/cpprest_connection.hpp"
#include "http/cpprest_message.hpp"
#include "http/sendable.hpp"
#include "http/transport_error.hpp"
#include "http/tunnel.hpp"

namespace azlock::http {
namespace {

// Idle connections, for later requests. Thread-safe.
class IdlePool {
  public:
    // The connection for such requests that was used last; null: none. Drops dead ones on the way.
    [[nodiscard]] std::unique_ptr<Connection> take(const Request& request) {
        const std::lock_guard lock(mutex_);
        auto& idle = idle_[way_of(request)];
        while (!idle.empty()) {
            auto connection = std::move(idle.back());
            idle.pop_back();
            if (connection->usable()) return connection;
        }
        return nullptr;
    }

    void put(const Request& request, std::unique_ptr<Connection> connection) {
        if (!connection->usable()) return;
        const std::lock_guard lock(mutex_);
        auto& idle = idle_[way_of(request)];
        std::erase_if(idle, [](const auto& other) { return !other->usable(); });
        if (idle.size() < kMost) idle.push_back(std::move(connection));
    }

  private:
    static constexpr std::size_t kMost = 128;  // for one way

    using Way = std::pair<std::string, bool>;
    static Way way_of(const Request& request) { return {request.origin.to_string(), request.past_proxy}; }

    std::mutex mutex_;
    std::map<Way, std::vector<std::unique_ptr<Connection>>> idle_;
};

class CpprestTransport final : public Transport {
  public:
    CpprestTransport(ProxyRules proxies, std::shared_ptr<const TrustStore> trust, Resolver resolver, bool direct)
        : proxies_(std::move(proxies)), trust_(std::move(trust)), resolver_(std::move(resolver)), direct_(direct) {}

    Result<Response> send(const Request& request, Deadline deadline, std::stop_token stop) override {
        if (auto sendable = check_sendable(request); !sendable) return fail(std::move(sendable.error()));
        if (stop.stop_requested()) return fail(stopped_error());
        if (SystemClock().now() >= deadline) return fail(timeout_error("no time left to send the request"));
        int copies = 1;
        if (auto pooled = idle_.take(request)) {
            pooled->reused = true;
            auto attempt = send_on(std::move(pooled), request, deadline, stop);
            if (!attempt.stale) return std::move(attempt.result);
            copies += attempt.result.error().may_have_applied ? 1 : 0;
        }
        auto fresh = connect(request, connect_deadline(request, deadline), stop);
        auto result =
            fresh ? send_on(std::move(*fresh), request, deadline, stop).result : Result<Response>(fail(fresh.error()));
        if (result) {
            result->times_sent = copies;
        } else {
            result.error().may_have_applied = result.error().may_have_applied || copies > 1;
        }
        return result;
    }

  private:
    // A connection that is being made moves nothing that could be seen.
    static Deadline connect_deadline(const Request& request, Deadline deadline) {
        if (request.quiet_timeout.count() == 0) return deadline;
        return std::min(deadline, SystemClock().after(request.quiet_timeout));
    }

    static Error of_proxy(const Proxy& proxy, Error error) {
        error.message = "proxy " + proxy.to_string() + ": " + error.message;
        if (error.hint.empty()) error.hint = "unset " + proxy.variable + ", or name the host in no_proxy";
        return error;
    }

    [[nodiscard]] const Proxy* proxy_for(const Request& request) const {
        return request.past_proxy ? nullptr : proxies_.find(request.origin);
    }

    Result<std::unique_ptr<Connection>> connect(const Request& request, Deadline deadline,
                                                const std::stop_token& stop) {
        const Origin& origin = request.origin;
        const Proxy* proxy = proxy_for(request);
        auto socket = proxy != nullptr ? dial(proxy->host, proxy->port, resolver_, deadline, stop)
                                       : dial(origin.host, origin.port, resolver_, deadline, stop);
        if (!socket) return fail(proxy == nullptr ? socket.error() : of_proxy(*proxy, socket.error()));
        if (proxy != nullptr && origin.tls) {
            if (auto open = open_tunnel(socket->get(), *proxy, origin, deadline, stop); !open)
                return fail(open.error());
        }
        try {
            return std::make_unique<Connection>(std::move(*socket), origin, proxy != nullptr && !origin.tls, trust_);
        } catch (const std::exception& thrown) {
            return fail(library_error(thrown, "the HTTP library, given a connection,"));
        }
    }

    Attempt send_on(std::unique_ptr<Connection> connection, const Request& request, Deadline deadline,
                    const std::stop_token& stop) {
        auto exchange = std::make_shared<Exchange>(request, connection->socket());
        try {
            const Proxy* proxy = request.origin.tls ? nullptr : proxy_for(request);
            connection->start(request, proxy, exchange, direct_);
        } catch (const std::exception& thrown) {
            return {fail(library_error(thrown, "the HTTP library, given " + request.loggable_target() + ",")), false};
        }
        auto outcome = exchange->wait(deadline, stop, [&] { return connection->line(); });
        const bool reusable = outcome.complete && outcome.released;
        auto attempt = judge(std::move(outcome), request, connection->line(), connection->reused);
        const auto& result = attempt.result;
        if (!result && result.error().fault == TransportFault::tls && trust_->out_of_files()) {
            attempt.result = fail(limit_error(SystemLimit::open_files));
        }
        if (reusable) idle_.put(request, std::move(connection));
        return attempt;
    }

    ProxyRules proxies_;
    std::shared_ptr<const TrustStore> trust_;
    Resolver resolver_;
    bool direct_;
    IdlePool idle_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_cpprest_transport(const TransportOptions& options) {
    auto proxies = ProxyRules::make(options.proxies);
    if (!proxies) return fail(proxies.error());
    auto trust = TrustStore::load(options.ca_file, TrustStore::default_bundles());
    if (!trust) return fail(trust.error());
    try {
        start_library(options.io_threads);
    } catch (const std::exception& thrown) {
        return fail(library_error(thrown, "starting the HTTP library"));
    }
    return std::make_unique<CpprestTransport>(std::move(*proxies), std::move(*trust),
                                              options.resolver ? options.resolver : Resolver(resolve_with_system),
                                              options.direct);
}

}  // namespace azlock::http
