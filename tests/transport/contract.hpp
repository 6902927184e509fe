// What the contract tests share. They know only http::Transport, not what is behind it. To test another adapter, define
// make_transport() for it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "http/cpprest_transport.hpp"
#include "http/transport.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "support/wire_server.hpp"

namespace Catch {
template <>
struct StringMaker<azlock::Result<azlock::http::Response>> {
    static std::string convert(const azlock::Result<azlock::http::Response>& answer) {
        if (answer) return "status " + std::to_string(answer->status);
        return answer.error().message + " (fault " + std::to_string(static_cast<int>(answer.error().fault)) + ")";
    }
};
}  // namespace Catch

namespace azlock::test {

// The transport under test.
[[nodiscard]] Result<std::unique_ptr<http::Transport>> make_transport(const http::TransportOptions& options);

// Options that trust the test servers' root.
[[nodiscard]] http::TransportOptions trusting();
// A file with that root's certificate.
[[nodiscard]] const std::string& test_root_file();

[[nodiscard]] http::Request request_of(http::Method method, const http::Origin& origin, std::string path = "/c/b");
[[nodiscard]] http::Request put_of(const http::Origin& origin, std::shared_ptr<const http::Body> body);

[[nodiscard]] Deadline in(std::chrono::milliseconds span);
// Enough for everything that should not take long.
inline constexpr std::chrono::seconds kAmple{20};
// How late send() may return after its deadline or a stop in a test. The contract says 300 ms; a busy machine needs
// more.
inline constexpr std::chrono::seconds kPrompt{20};

// A large body without memory: byte i is a function of i.
class PatternBody final : public http::Body {
  public:
    explicit PatternBody(std::uint64_t size) : size_(size) {}
    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    [[nodiscard]] int reads() const { return reads_; }
    // The same bytes, for a receiver to compare with.
    static void fill(std::uint64_t offset, std::span<std::byte> out);

  private:
    std::uint64_t size_;
    mutable std::atomic<int> reads_{0};
};

// Keeps what it is given.
class KeepingSink final : public http::BodySink {
  public:
    explicit KeepingSink(bool take = true) : take_(take) {}
    bool begin(const http::Response& head) override;
    Status write(ByteView data) override;

    int begun = 0;
    int status = 0;
    std::string seen;
    std::atomic<int> writes{0};

  private:
    bool take_;
};

// A Transport and a server for it.
struct Stage {
    explicit Stage(WireServer::Script script, WireOptions options = {},
                   http::TransportOptions transport_options = trusting())
        : server(std::move(script), std::move(options)), transport(make_transport(transport_options).value()) {}

    Result<http::Response> send(const http::Request& request, std::chrono::milliseconds limit = kAmple) {
        return transport->send(request, in(limit), {});
    }
    [[nodiscard]] http::Request request(http::Method method) const { return request_of(method, server.origin()); }
    [[nodiscard]] http::Request put(std::string body) const {
        return put_of(server.origin(), http::make_body(std::move(body)));
    }

    WireServer server;
    std::unique_ptr<http::Transport> transport;
};

// Every contract holds with and without TLS.
inline WireOptions plain_or_tls() {
    WireOptions options;
    options.tls = GENERATE(false, true);
    return options;
}

struct Timed {
    Result<http::Response> answer;
    std::chrono::nanoseconds took;
};

// A send() and how long it took.
template <typename Send>
Timed timed(Send send) {
    const SystemClock clock;
    const BootTime start = clock.now();
    auto answer = send();
    return {std::move(answer), clock.now() - start};
}

}  // namespace azlock::test
