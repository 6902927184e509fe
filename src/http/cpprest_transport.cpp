// The adapter to cpprestsdk. The library does TLS, sending and the framing of answers. We make the connections and give
// them to it (one http_client each). So we control name lookups, proxies, deadlines, stale connections and early
// answers, and the library cannot repeat a request.
#include "http/cpprest_transport.hpp"

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

#include "base/text.hpp"
#include "http/attempt.hpp"
#include "http/exchange.hpp"
#include "http/idle_pool.hpp"
#include "http/proxy.hpp"
#include "http/sendable.hpp"
#include "http/tls_trust.hpp"
#include "http/transport_error.hpp"
#include "http/tunnel.hpp"

namespace azlock::http {
namespace {

using boost::asio::ip::tcp;
using TlsStream = boost::asio::ssl::stream<tcp::socket&>;

// The library's timer limits only single steps, and a slow line can add up many of them. Our own deadline limits the
// whole.
constexpr std::chrono::hours kLibraryTimeout{24 * 7};
constexpr std::size_t kChunk = 256 * 1024;

// Runs a continuation on the thread that finished the step before it: a switch to another thread costs more than the
// continuation.
struct InlineScheduler final : pplx::scheduler_interface {
    void schedule(pplx::TaskProc_t run, void* parameter) override { run(parameter); }
};

void start_library(int threads) {
    static std::once_flag once;
    std::call_once(once, [threads] {
        const auto cores = static_cast<int>(std::thread::hardware_concurrency());
        const int count = threads > 0 ? std::min(threads, 8) : std::clamp(cores, 2, 4);
        pplx::set_ambient_scheduler(std::make_shared<InlineScheduler>());
        crossplat::threadpool::initialize_with_threads(static_cast<std::size_t>(count));
    });
}

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

// A body to send or to receive, as the library sees it. The derived classes do the one call that it uses; all others do
// nothing.
class StreamBase : public Concurrency::streams::details::basic_streambuf<std::uint8_t> {
  public:
    bool can_read() const override { return true; }
    bool can_write() const override { return true; }
    bool can_seek() const override { return false; }  // so that the library never sends a body twice
    bool has_size() const override { return false; }
    bool is_eof() const override { return false; }
    bool is_open() const override { return true; }
    std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
    void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
    std::size_t in_avail() const override { return 0; }
    pplx::task<void> close(std::ios_base::openmode) override { return pplx::task_from_result(); }
    pplx::task<void> close(std::ios_base::openmode, std::exception_ptr) override { return pplx::task_from_result(); }
    pplx::task<int_type> putc(std::uint8_t) override { return eof(); }
    pplx::task<std::size_t> putn(const std::uint8_t*, std::size_t) override {
        return pplx::task_from_result<std::size_t>(0);
    }
    pplx::task<std::size_t> putn_nocopy(const std::uint8_t*, std::size_t) override {
        return pplx::task_from_result<std::size_t>(0);
    }
    pplx::task<int_type> bumpc() override { return eof(); }
    int_type sbumpc() override { return traits::eof(); }
    pplx::task<int_type> getc() override { return eof(); }
    int_type sgetc() override { return traits::eof(); }
    pplx::task<int_type> nextc() override { return eof(); }
    pplx::task<int_type> ungetc() override { return eof(); }
    pplx::task<std::size_t> getn(std::uint8_t*, std::size_t) override { return pplx::task_from_result<std::size_t>(0); }
    std::size_t scopy(std::uint8_t*, std::size_t) override { return 0; }
    pos_type getpos(std::ios_base::openmode) const override { return 0; }
    utility::size64_t size() const override { return 0; }
    pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
    pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override { return traits::eof(); }
    pplx::task<void> sync() override { return pplx::task_from_result(); }
    std::uint8_t* alloc(std::size_t) override { return nullptr; }
    void commit(std::size_t) override {}
    bool acquire(std::uint8_t*&, std::size_t&) override { return false; }
    void release(std::uint8_t*, std::size_t) override {}
    std::exception_ptr exception() const override { return nullptr; }

  private:
    static pplx::task<int_type> eof() { return pplx::task_from_result<int_type>(traits::eof()); }
};

class BodyStream final : public StreamBase {
  public:
    BodyStream(std::shared_ptr<Exchange> exchange, bool direct) : exchange_(std::move(exchange)), direct_(direct) {}
    // The library has written the head and asks for the first `count` bytes, which it will send next. If the result is
    // larger, the library counts that many bytes as read, but still sends only what is in its buffer. So we can send
    // the rest of the body before, past the library, if its buffer gets the end of the body. The buffer holds exactly
    // `count` bytes only if it had to grow for them, that is, if they are more than any head has.
    pplx::task<std::size_t> getn(std::uint8_t* out, std::size_t count) override {
        const auto buffer = std::as_writable_bytes(std::span(out, count));
        if (direct_ && count == kChunk) {
            const pplx::task_completion_event<std::size_t> sent;
            if (exchange_->offer_body(buffer, [sent](std::size_t size) { (void)sent.set(size); })) {
                return pplx::create_task(sent);
            }
        }
        return pplx::task_from_result(exchange_->read_body(buffer));
    }

  private:
    std::shared_ptr<Exchange> exchange_;
    bool direct_;
};

// Lives as long as the library uses the exchange.
class AnswerStream final : public StreamBase {
  public:
    explicit AnswerStream(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    ~AnswerStream() override { exchange_->let_go(); }
    AnswerStream(const AnswerStream&) = delete;
    AnswerStream& operator=(const AnswerStream&) = delete;
    pplx::task<std::size_t> putn_nocopy(const std::uint8_t* data, std::size_t count) override {
        if (count > 0x7fffffff) {
            exchange_->reject_answer();  // a broken server's negative chunk size
        } else if (exchange_->write_answer(std::as_bytes(std::span(data, count)))) {
            return pplx::task_from_result(count);
        }
        return pplx::task_from_exception<std::size_t>(std::runtime_error("answer refused"));
    }

  private:
    std::shared_ptr<Exchange> exchange_;
};

struct Stream : Concurrency::streams::streambuf<std::uint8_t> {
    explicit Stream(const std::shared_ptr<StreamBase>& base) : streambuf(base) {}
};

// Thrown into the library when it is about to send a request again on a connection of its own.
struct NoSecondSend {};

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

// One TCP connection with its own client of the library, so that the library's pool never holds another connection. The
// library always calls connect() itself. It gets a socket that was connected by a non-blocking connect(), with no
// connect() call since then. On such a socket Linux lets connect() succeed once, for any address.
class Connection {
  public:
    Connection(Fd socket, const Origin& origin, bool via_proxy, std::shared_ptr<const TrustStore> trust)
        : socket_(std::make_shared<const Fd>(std::move(socket))), hooks_(std::make_shared<ConnectionHooks>()) {
        hooks_->origin = origin;
        hooks_->handover = Fd(::fcntl(socket_->get(), F_DUPFD_CLOEXEC, 0));
        socklen_t size = sizeof hooks_->family;
        ::getsockopt(socket_->get(), SOL_SOCKET, SO_DOMAIN, &hooks_->family, &size);

        web::http::client::http_client_config config;
        config.set_chunksize(kChunk);
        config.set_timeout(kLibraryTimeout);
        config.set_max_redirects(0);
        config.set_tlsext_sni_enabled(false);
        config.set_nativehandle_options([hooks = hooks_](void* handle) { hooks->on_socket(handle); });
        config.set_ssl_context_callback([trust, host = origin.host](boost::asio::ssl::context& context) {
            trust->apply(context.native_handle(), host);
        });
        const std::string nowhere = placeholder_host() + ":" + std::to_string(origin.port);
        // With a proxy the absolute request target names the origin, and the library connects to the proxy.
        if (via_proxy) config.set_proxy(web::web_proxy("http://" + nowhere));
        client_ = std::make_unique<web::http::client::http_client>(
            via_proxy ? origin.to_string() : (origin.tls ? "https://" : "http://") + nowhere, config);
    }

    [[nodiscard]] const std::shared_ptr<const Fd>& socket() const { return socket_; }
    [[nodiscard]] AttemptPeer peer() const { return {socket_->get(), hooks_->tls ? &hooks_->tls : nullptr, reused}; }

    // False if the server has closed the connection or has sent something that nobody asked for.
    [[nodiscard]] bool usable() const {
        pollfd fd{socket_->get(), POLLIN | POLLRDHUP, 0};
        return ::poll(&fd, 1, 0) == 0;
    }

    pplx::task<web::http::http_response> start(web::http::http_request& request) {
        set_current(&request);
        struct Clear {
            Connection& connection;
            ~Clear() { connection.set_current(nullptr); }
        } clear{*this};
        return client_->request(request);
    }

    bool reused = false;

  private:
    void set_current(web::http::http_request* request) {
        const std::lock_guard lock(hooks_->mutex);
        hooks_->request = request;
    }

    std::shared_ptr<const Fd> socket_;
    std::shared_ptr<ConnectionHooks> hooks_;
    std::unique_ptr<web::http::client::http_client> client_;
};

bool is_ours_to_set(const std::string& name) {
    for (const char* ours : {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect"}) {
        if (iequals(name, ours)) return true;
    }
    return false;
}

web::http::http_request make_message(const Request& request, const Proxy* proxy,
                                     const std::shared_ptr<Exchange>& exchange, bool direct) {
    web::http::http_request message{std::string(to_string(request.method))};
    message.set_request_uri(web::uri(request.wire_target()));
    if (request.content_length() > 0) {
        message.set_body(Stream(std::make_shared<BodyStream>(exchange, direct)).create_istream(),
                         request.content_length());
    }
    message.headers().remove("Content-Type");  // the library sets its own value
    for (const auto& [name, value] : request.headers) {
        if (!is_ours_to_set(name)) message.headers()[name] = value;
    }
    if (proxy != nullptr && !proxy->authorization.empty()) {
        message.headers()["Proxy-Authorization"] = proxy->authorization.reveal();
    }
    message.headers()["Host"] = request.origin.tls ? request.origin.host : request.origin.authority();
    // Called for the first time when the head has been written.
    message.set_progress_handler(
        [exchange](web::http::message_direction::direction, utility::size64_t) { exchange->head_written(); });
    message.set_response_stream(Stream(std::make_shared<AnswerStream>(exchange)).create_ostream());
    return message;
}

Response to_head(const web::http::http_response& answer) {
    Response head;
    head.status = answer.status_code();
    for (const auto& [name, value] : answer.headers()) head.headers.set(name, value);
    return head;
}

// Call it in a catch block.
int code_of_current_exception() {
    try {
        throw;
    } catch (const web::http::http_exception& error) {
        return error.error_code().value();
    } catch (const NoSecondSend&) {
        return kVetoedRepeat;
    } catch (...) {
        return kUnknownFailure;
    }
}

// Asks every task for its outcome: an exception that nobody looks at ends the process.
void follow(const pplx::task<web::http::http_response>& answer, const std::shared_ptr<Exchange>& exchange) {
    answer.then([exchange](const pplx::task<web::http::http_response>& head) {
        try {
            const web::http::http_response response = head.get();
            exchange->begin_answer(to_head(response));
            response.content_ready().then([exchange](const pplx::task<web::http::http_response>& whole) {
                try {
                    whole.get();
                    exchange->complete();
                } catch (...) {
                    exchange->fail_with(code_of_current_exception());
                }
            });
        } catch (...) {
            exchange->fail_with(code_of_current_exception());
        }
    });
}

class CpprestTransport final : public Transport {
  public:
    CpprestTransport(ProxyRules proxies, std::shared_ptr<const TrustStore> trust, Resolver resolver, bool direct)
        : proxies_(std::move(proxies)), trust_(std::move(trust)), resolver_(std::move(resolver)), direct_(direct) {}

    Result<Response> send(const Request& request, Deadline deadline, std::stop_token stop) override {
        if (auto sendable = check_sendable(request); !sendable) return fail(std::move(sendable.error()));
        if (stop.stop_requested()) return fail(stopped_error());
        if (SystemClock().now() >= deadline) return fail(timeout_error("no time left to send the request"));
        int copies = 1;
        if (auto pooled = idle_.take(request.origin)) {
            pooled->reused = true;
            auto attempt = send_on(std::move(pooled), request, deadline, stop);
            if (!attempt.stale) return std::move(attempt.result);
            copies += attempt.result.error().may_have_applied ? 1 : 0;
        }
        auto fresh = connect(request.origin, deadline, stop);
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
    Result<std::unique_ptr<Connection>> connect(const Origin& origin, Deadline deadline, const std::stop_token& stop) {
        const Proxy* proxy = proxies_.find(origin);
        auto socket = proxy != nullptr ? dial(proxy->host, proxy->port, resolver_, deadline, stop)
                                       : dial(origin.host, origin.port, resolver_, deadline, stop);
        if (!socket) return fail(socket.error());
        if (proxy != nullptr && origin.tls) {
            if (auto open = open_tunnel(socket->get(), *proxy, origin, deadline, stop); !open)
                return fail(open.error());
        }
        return std::make_unique<Connection>(std::move(*socket), origin, proxy != nullptr && !origin.tls, trust_);
    }

    Attempt send_on(std::unique_ptr<Connection> connection, const Request& request, Deadline deadline,
                    const std::stop_token& stop) {
        auto exchange = std::make_shared<Exchange>(request, connection->socket());
        try {
            const Proxy* proxy = request.origin.tls ? nullptr : proxies_.find(request.origin);
            auto message = make_message(request, proxy, exchange, direct_);
            follow(connection->start(message), exchange);
        } catch (const std::exception&) {
            // The text of the exception may contain the target, and with it a SAS.
            return {fail(ErrorCode::internal, "the HTTP library refused a request: " + request.loggable_target()),
                    false};
        }
        const auto line = [&] {
            const AttemptPeer peer = connection->peer();
            return DirectLine{peer.socket, peer.tls};
        };
        auto outcome = exchange->wait(deadline, stop, line);
        const bool reusable = outcome.complete && outcome.released;
        auto attempt = judge(std::move(outcome), request, connection->peer());
        if (reusable) idle_.put(request.origin, std::move(connection));
        return attempt;
    }

    ProxyRules proxies_;
    std::shared_ptr<const TrustStore> trust_;
    Resolver resolver_;
    bool direct_;
    IdlePool<Connection> idle_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_cpprest_transport(const TransportOptions& options) {
    auto proxies = ProxyRules::make(options.https_proxy, options.http_proxy, options.no_proxy);
    if (!proxies) return fail(proxies.error());
    auto trust = TrustStore::load(options.ca_file, TrustStore::default_bundles());
    if (!trust) return fail(trust.error());
    start_library(options.io_threads);
    return std::make_unique<CpprestTransport>(std::move(*proxies), std::move(*trust),
                                              options.resolver ? options.resolver : Resolver(resolve_with_system),
                                              options.direct);
}

std::string cpprest_version() {
    return std::to_string(CPPREST_VERSION_MAJOR) + "." + std::to_string(CPPREST_VERSION_MINOR) + "." +
           std::to_string(CPPREST_VERSION_REVISION);
}

}  // namespace azlock::http
