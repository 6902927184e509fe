// Getting to the server: addresses, refusals, proxies.
#include <sys/socket.h>

#include "base/encoding.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"
#include "transport/contract.hpp"
#include "transport/tiny_proxy.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

// A port that was free a moment ago.
std::uint16_t closed_port() {
    const WireServer server([](Wire&) {});
    return server.port();
}

std::string where(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

}  // namespace

TEST_CASE("A refused connection says so, and nothing was sent") {
    const auto transport = make_transport(trusting()).value();
    const std::uint16_t port = closed_port();
    const bool tls = GENERATE(false, true);
    const auto answer = transport->send(request_of(Method::put, {tls, "127.0.0.1", port}), in(kAmple), {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::connect);
    CHECK(answer.error().message == "cannot connect to " + where(port) + ": connection refused");
    CHECK_FALSE(answer.error().may_have_applied);
}

TEST_CASE("A name without an address says so") {
    const auto transport = make_transport(trusting()).value();
    const auto answer = transport->send(request_of(Method::put, {true, "no-such-host.invalid", 443}), in(kAmple), {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::resolve);
    CHECK(answer.error().message.find("no-such-host.invalid") != std::string::npos);
    CHECK_FALSE(answer.error().may_have_applied);
}

TEST_CASE("The next address of a name is tried where the first refuses") {
    http::TransportOptions options = trusting();
    options.resolver = [](const std::string&, std::uint16_t port) {
        auto addresses = http::resolve_with_system("::1", port).value();
        addresses.push_back(http::resolve_with_system("127.0.0.1", port).value().front());
        return addresses;
    };
    WireOptions server = plain_or_tls();
    server.identity.hosts = {"two.example"};
    Stage stage(answer_everything(), server, options);
    http::Request request = stage.request(Method::get);
    request.origin.host = "two.example";
    CHECK(stage.send(request));
}

TEST_CASE("An http request goes through HTTP_PROXY with its whole URL") {
    TinyProxy proxy;
    http::TransportOptions options = trusting();
    options.proxies.http_proxy = "http://" + where(proxy.port());
    options.proxies.https_proxy = "http://" + where(closed_port());
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_head()) {
                const std::string body = wire.read_body(request->content_length());
                wire.answer(200, request->method + " " + request->target + " " +
                                     std::string(request->headers.get("Host")) + " " + body);
            }
        },
        {}, options);
    for (int i = 0; i < 3; ++i) {
        http::Request request = stage.put("text");
        request.query = {{"comp", "block"}};
        const auto answer = stage.send(request);
        REQUIRE(answer);
        CHECK(answer->body ==
              "PUT http://" + where(stage.server.port()) + "/c/b?comp=block " + where(stage.server.port()) + " text");
    }
    CHECK(proxy.counted("forwarded") == 3);
    CHECK(proxy.connections() == 1);
}

TEST_CASE("An https request goes through HTTPS_PROXY in a tunnel") {
    TinyProxy proxy;
    WireOptions server;
    server.tls = true;
    server.ipv6 = GENERATE(false, true);
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = where(proxy.port());
    options.proxies.http_proxy = "http://" + where(closed_port());
    Stage stage(answer_everything(), server, options);
    for (int i = 0; i < 3; ++i) CHECK(stage.send(stage.put("text")));
    CHECK(proxy.counted("tunnel") == 1);
    CHECK(proxy.last_target() == stage.server.origin().authority());
    CHECK(stage.server.counted("request") == 3);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A proxy is given the user and password of its URL, and the server is not") {
    TinyProxy proxy("user:p@ss/");
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = options.proxies.http_proxy = "http://user:p%40ss%2F@" + where(proxy.port()) + "/";
    WireOptions server = plain_or_tls();
    Stage stage(answer_everything(), server, options);
    CHECK(stage.send(stage.put("text")));
    CHECK(stage.server.counted("request") == 1);
}

TEST_CASE("A proxy that refuses a tunnel is named, with its status") {
    TinyProxy proxy("user:secret");
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = "http://user:wrong@" + where(proxy.port());
    Stage stage(answer_everything(), WireOptions{.tls = true}, options);
    const auto answer = stage.send(stage.put("text"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::connect);
    CHECK(answer.error().message.find(where(proxy.port())) != std::string::npos);
    CHECK(answer.error().message.find("407") != std::string::npos);
    CHECK(answer.error().message.find("wrong") == std::string::npos);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(stage.server.connections() == 0);
}

TEST_CASE("A proxy's refusal of an http request is an answer") {
    TinyProxy proxy("user:secret");
    http::TransportOptions options = trusting();
    options.proxies.http_proxy = "http://" + where(proxy.port());
    Stage stage(answer_everything(), {}, options);
    const auto answer = stage.send(stage.put("text"));
    REQUIRE(answer);
    CHECK(answer->status == 407);
}

TEST_CASE("An early answer is not lost in a tunnel") {
    TinyProxy proxy;
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = where(proxy.port());
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            wire.answer(403, "why");
        },
        WireOptions{.tls = true}, options);
    const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<PatternBody>(30'000'000)));
    REQUIRE(answer);
    CHECK(answer->status == 403);
    CHECK(answer->early);
}

TEST_CASE("A dead proxy is a refused connection") {
    const std::uint16_t port = closed_port();
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = options.proxies.http_proxy = where(port);
    Stage stage(answer_everything(), plain_or_tls(), options);
    const auto answer = stage.send(stage.put("text"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::connect);
    CHECK(answer.error().message.find("proxy " + where(port) + " (") == 0);
    CHECK(answer.error().hint.find("no_proxy") != std::string::npos);
    CHECK(stage.server.connections() == 0);
}

TEST_CASE("A proxy that never answers is a timeout that cannot have applied") {
    const WireServer silent([](Wire& wire) { wire.wait_for_client(); });
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = where(silent.port());
    Stage stage(answer_everything(), WireOptions{.tls = true}, options);
    const auto answer = stage.send(stage.put("text"), std::chrono::milliseconds(200));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::timeout);
    CHECK_FALSE(answer.error().may_have_applied);
}

TEST_CASE("NO_PROXY keeps a host off the proxy") {
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = options.proxies.http_proxy = where(closed_port());
    options.proxies.no_proxy = "example.org, 127.0.0.1";
    Stage stage(answer_everything(), plain_or_tls(), options);
    CHECK(stage.send(stage.put("text")));
}

TEST_CASE("A request past the proxies goes straight to its server, on connections of its own") {
    TinyProxy proxy;
    http::TransportOptions options = trusting();
    options.proxies.https_proxy = options.proxies.http_proxy = where(proxy.port());
    Stage stage(answer_everything(), plain_or_tls(), options);
    http::Request straight = stage.put("text");
    straight.past_proxy = true;
    CHECK(stage.send(straight));
    CHECK(proxy.connections() == 0);
    CHECK(stage.send(stage.put("text")));  // it must not take the straight connection
    CHECK(proxy.connections() == 1);
    CHECK(stage.send(straight));
    CHECK(proxy.connections() == 1);
    CHECK(stage.server.connections() == 2);
}

TEST_CASE("A proxy URL that cannot be used is a configuration error without the password") {
    http::TransportOptions options;
    options.proxies.https_proxy =
        GENERATE("socks5://user:secret@proxy:1080", "https://user:secret@proxy", "http://user:secret@proxy:x",
                 "http://user:secret@:80", "http://user%zz:secret@proxy");
    const auto transport = make_transport(options);
    REQUIRE_FALSE(transport);
    CHECK(transport.error().code == ErrorCode::config);
    CHECK(transport.error().message.find("HTTPS_PROXY") != std::string::npos);
    CHECK(transport.error().message.find("secret") == std::string::npos);
}
