// What goes onto the wire.
#include <algorithm>

#include "base/text.hpp"
#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

// Answers every request with its own head.
void echo_heads(Wire& wire) {
    while (auto request = wire.read_head()) {
        wire.skip_body(request->content_length());
        std::string head;
        for (const std::string& line : request->lines) head += line + "\n";
        if (!wire.answer(200, request->method == "HEAD" ? "" : head)) return;
    }
}

bool has_line(const std::string& head, const std::string& line) {
    return ("\n" + head).find("\n" + line + "\n") != std::string::npos;
}

bool has_header(const std::string& head, const std::string& name) {
    return to_lower("\n" + head).find("\n" + to_lower(name) + ":") != std::string::npos;
}

}  // namespace

TEST_CASE("Header values go out exactly as given, empty ones too") {
    Stage stage(echo_heads, plain_or_tls());
    http::Request request = stage.put("body");
    request.headers.set("x-ms-meta-empty", "");
    request.headers.set("x-ms-meta-text", "a, b;  c=\"d\" %41\tz");
    request.headers.set("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT");
    request.headers.set("Authorization", "SharedKey account:c2lnbmF0dXJl");
    request.headers.set("If-Match", "\"0x8D\"");
    const auto answer = stage.send(request);
    REQUIRE(answer);
    CHECK(has_line(answer->body, "x-ms-meta-empty:"));
    CHECK(has_line(answer->body, "x-ms-meta-text:a, b;  c=\"d\" %41\tz"));
    CHECK(has_line(answer->body, "x-ms-date:Fri, 26 Jun 2015 23:39:12 GMT"));
    CHECK(has_line(answer->body, "Authorization:SharedKey account:c2lnbmF0dXJl"));
    CHECK(has_line(answer->body, "If-Match:\"0x8D\""));
}

TEST_CASE("Host names the origin, with its port, and goes out once") {
    Stage stage(echo_heads, plain_or_tls());
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE(answer);
    CHECK(has_line(answer->body, "Host: " + stage.server.origin().authority()) !=
          has_line(answer->body, "Host:" + stage.server.origin().authority()));
    CHECK(stage.send(stage.request(Method::get))->body == answer->body);
}

TEST_CASE("No content type is made up, and a given one is kept") {
    Stage stage(echo_heads, plain_or_tls());
    http::Request request = stage.put("body");
    const auto without = stage.send(request);
    REQUIRE(without);
    CHECK_FALSE(has_header(without->body, "Content-Type"));
    CHECK(has_line(without->body, "Content-Length:4") != has_line(without->body, "Content-Length: 4"));
    request.headers.set("Content-Type", "text/x-odd; charset=x");
    const auto with = stage.send(request);
    REQUIRE(with);
    CHECK(has_line(with->body, "Content-Type:text/x-odd; charset=x"));
}

TEST_CASE("Only a PUT or POST without a body says Content-Length: 0") {
    Stage stage(echo_heads, plain_or_tls());
    const Method writes = GENERATE(Method::put, Method::post);
    for (const bool empty_body : {false, true}) {
        http::Request request = stage.request(writes);
        if (empty_body) request.body = http::make_body("");
        const auto answer = stage.send(request);
        REQUIRE(answer);
        CHECK(has_line(answer->body, "Content-Length: 0"));
        CHECK_FALSE(has_header(answer->body, "Transfer-Encoding"));
    }
    for (const Method method : {Method::get, Method::del}) {
        const auto answer = stage.send(stage.request(method));
        REQUIRE(answer);
        CHECK_FALSE(has_header(answer->body, "Content-Length"));
        CHECK_FALSE(has_header(answer->body, "Transfer-Encoding"));
        CHECK_FALSE(has_header(answer->body, "Content-Type"));
    }
}

TEST_CASE("A POST goes out with its body and its type") {
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_head()) {
                const std::string body = wire.read_body(request->content_length());
                wire.answer(200,
                            request->method + " " + std::string(request->headers.get("Content-Type")) + " " + body);
            }
        },
        plain_or_tls());
    http::Request request = stage.put("grant_type=client_credentials");
    request.method = Method::post;
    request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    for (int i = 0; i < 2; ++i) {
        const auto answer = stage.send(request);
        REQUIRE(answer);
        CHECK(answer->body == "POST application/x-www-form-urlencoded grant_type=client_credentials");
    }
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("Path and query go out byte for byte") {
    Stage stage(echo_heads, plain_or_tls());
    http::Request request = stage.request(Method::get);
    for (const char* path :
         {"/", "/c", "/c/a%2Fb%2B+%20%41%c3%a9", "/c//x///y", "/c/./../z", "/c/trailing/", "/$root/!*'(),;:@&="}) {
        request.path = path;
        const auto answer = stage.send(request);
        REQUIRE(answer);
        CHECK(answer->body.substr(0, answer->body.find('\n')) == "GET " + std::string(path) + " HTTP/1.1");
    }
    request.path = "/c/b";
    request.query = {{"restype", "container"}, {"comp", ""}, {"prefix", "a b&c=d/\xc3\xa9"}};
    request.secret_query = Secret("sv=2023-11-03&se=2030-01-01T00:00:00Z&sig=a%2Bb%3D");
    const auto answer = stage.send(request);
    REQUIRE(answer);
    CHECK(answer->body.substr(0, answer->body.find('\n')) == "GET " + request.wire_target() + " HTTP/1.1");
}

TEST_CASE("What cannot be put into a request is refused before anything is sent, without showing a secret") {
    Stage stage(echo_heads);
    http::Request request = stage.request(Method::get);
    SECTION("a line break in a header") {
        request.headers.set("x-ms-meta-a", "b\r\nx-ms-evil: 1");
    }
    SECTION("a character that no URL may have") {
        request.secret_query = Secret("sv=1&sig=a|b c");
    }
    SECTION("a path that would be read as a host") {
        request.path = "//host/x";
    }
    const auto answer = stage.send(request);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::usage);
    CHECK(answer.error().message.find("a|b") == std::string::npos);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(stage.server.connections() == 0);
}

TEST_CASE("Bodies of all sizes around the buffer sizes arrive whole") {
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_head()) {
                const std::string body = wire.read_body(request->content_length());
                std::string expected(body.size(), '\0');
                PatternBody::fill(0, std::as_writable_bytes(std::span(expected)));
                wire.answer(body == expected ? 201 : 400);
            }
        },
        plain_or_tls());
    for (const std::uint64_t size : {1ULL, 65535ULL, 65536ULL, 262143ULL, 262144ULL, 262145ULL, 4000001ULL}) {
        const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<PatternBody>(size)));
        REQUIRE(answer);
        CHECK(answer->status == 201);
        CHECK(answer->times_sent == 1);
        CHECK_FALSE(answer->early);
    }
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A body that cannot be read ends the attempt with its own error") {
    struct Broken final : http::Body {
        [[nodiscard]] std::uint64_t size() const override { return 1'000'000; }
        [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
            if (offset >= 600'000) return fail(ErrorCode::input_missing, "gone");
            return std::min<std::size_t>(out.size(), 600'000 - offset);
        }
    };
    Stage stage(answer_everything(), plain_or_tls());
    const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<Broken>()));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::input_missing);
    CHECK(answer.error().message == "gone");
    CHECK(answer.error().fault == TransportFault::local_body);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(stage.server.counted("request") == 0);
}

TEST_CASE("A body that is shorter than it said is a data error") {
    struct Short final : http::Body {
        [[nodiscard]] std::uint64_t size() const override { return 500'000; }
        [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
            return std::min<std::size_t>(out.size(), 400'000 - offset);
        }
    };
    Stage stage(answer_everything());
    const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<Short>()));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::data);
    CHECK(answer.error().fault == TransportFault::local_body);
    CHECK_FALSE(answer.error().may_have_applied);
}
