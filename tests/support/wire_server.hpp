// A scriptable HTTP/1.1 server on a raw socket, plain or TLS: it can do to a client whatever a bad server, network or
// proxy does. A script is a function that is run for each connection, on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "http/message.hpp"
#include "support/wire_tls.hpp"

namespace azlock::test {

class WireServer;

struct WireRequest {
    std::string method;
    std::string target;
    http::Headers headers;
    std::vector<std::string> lines;  // the head as it came, line by line

    [[nodiscard]] std::uint64_t content_length() const;
};

// One connection, seen from the server.
class Wire {
  public:
    Wire(WireServer& server, Fd fd, WireTls::Session tls, int number);

    // The next request's head; nullopt if the client closed instead.
    std::optional<WireRequest> read_head();
    // Exactly `size` bytes, or fewer if the client closed.
    std::string read_body(std::uint64_t size);
    // The same, but drops the bytes and returns their number.
    std::uint64_t skip_body(std::uint64_t size);
    // Reads the head, and drops the body; nullopt if the client closed.
    std::optional<WireRequest> read_request();

    // False if the client is gone.
    bool send(std::string_view bytes);
    // "HTTP/1.1 STATUS Whatever", the body's length, and `extra` header lines (each ended by CRLF).
    bool answer(int status, std::string_view body = {}, std::string_view extra = {});

    // Ends the sending side of the stream (TLS: with close_notify). Receiving goes on.
    void finish_sending();
    // Closes; with unread data in the socket the client gets a reset after what was sent before.
    void close();
    // Closes with a reset, without a close_notify.
    void reset();
    // Returns when the client has closed, or the server is being destroyed.
    void wait_for_client();

    // 0 for the first connection to the server.
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] WireServer& server() { return server_; }
    [[nodiscard]] int fd() const { return fd_.get(); }

  private:
    long receive(void* out, std::size_t size);

    WireServer& server_;
    Fd fd_;
    WireTls::Session tls_;
    int number_;
    std::string ahead_;  // received, but not asked for yet
    std::vector<char> discarded_;
};

struct WireOptions {
    bool tls = false;
    bool ipv6 = false;
    WireIdentity identity{};
    // In bytes; 0: the system's default. With a small one the client blocks soon if nobody reads.
    int receive_buffer = 0;
};

class WireServer {
  public:
    using Script = std::function<void(Wire&)>;

    explicit WireServer(Script script, WireOptions options = {});
    // Shuts open connections down and joins every thread.
    ~WireServer();
    WireServer(const WireServer&) = delete;
    WireServer& operator=(const WireServer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // With the literal address that it listens on.
    [[nodiscard]] http::Origin origin() const;
    // TCP connections accepted so far.
    [[nodiscard]] int connections() const { return connections_; }

    // Counters. With them a test proves that its script did happen.
    void count(const std::string& what);
    [[nodiscard]] int counted(const std::string& what);
    // Waits until the counter is at least `times`; false after ten seconds.
    [[nodiscard]] bool wait_for(const std::string& what, int times = 1);

  private:
    friend class Wire;
    void listen();
    void run(int fd, int number);
    void forget(int fd);

    Script script_;
    WireOptions options_;
    std::optional<WireTls> tls_;
    Fd listener_;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::map<std::string, int> counters_;
    std::vector<int> open_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

// The usual server: reads a request whole, answers 200, again and again.
[[nodiscard]] WireServer::Script answer_everything(std::string body = "ok");

}  // namespace azlock::test
