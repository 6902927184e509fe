// What comes back: bodies, sinks, statuses, and bytes that are no answer at all.
#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

// Reads a request and sends `bytes`; then closes the connection if `close`, else keeps it open.
WireServer::Script send_raw(std::string bytes, bool close = true) {
    return [bytes = std::move(bytes), close](Wire& wire) {
        if (!wire.read_request()) return;
        wire.server().count("sent");
        wire.send(bytes);
        if (!close) wire.wait_for_client();
    };
}

}  // namespace

TEST_CASE("Every status is an answer, with its headers and body") {
    const int status = GENERATE(200, 201, 206, 400, 403, 404, 409, 412, 416, 429, 500, 503);
    Stage stage([&](Wire& wire) {
        while (wire.read_request()) wire.answer(status, "<Error/>", "x-ms-error-code: Some\r\nX-Empty:\r\n");
    });
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE(answer);
    CHECK(answer->status == status);
    CHECK(answer->body == "<Error/>");
    CHECK(answer->headers.get("X-MS-Error-Code") == "Some");
    CHECK(answer->headers.has("x-empty"));
    CHECK_FALSE(answer->early);
    CHECK(answer->times_sent == 1);
}

TEST_CASE("A head without end is no answer, and a large one is") {
    const std::string line = "X-Large: " + std::string(100'000, 'x') + "\r\n";
    SECTION("without end") {
        Stage stage([&](Wire& wire) {
            if (!wire.read_request()) return;
            wire.send("HTTP/1.1 200 OK\r\n");
            while (wire.send(line)) {
            }
            wire.server().count("broken");
        });
        const auto answer = stage.send(stage.request(Method::get));
        REQUIRE_FALSE(answer);
        CHECK(answer.error().fault == TransportFault::malformed);
        CHECK(answer.error().message == "the head of the answer is too long");
        CHECK(stage.server.wait_for("broken"));
    }
    SECTION("large") {
        Stage stage([&](Wire& wire) {
            if (!wire.read_request()) return;
            wire.send("HTTP/1.1 200 OK\r\n" + line + line + "Content-Length: 0\r\n\r\n");
            wire.wait_for_client();
        });
        CHECK(stage.send(stage.request(Method::get)));
    }
}

TEST_CASE("Redirects are answers and are not followed") {
    const int status = GENERATE(301, 302, 303, 307, 308);
    const Method method = GENERATE(Method::get, Method::head, Method::put, Method::post);
    Stage stage([&](Wire& wire) {
        while (wire.read_request()) {
            wire.server().count("request");
            wire.answer(status, {}, "Location: /elsewhere\r\n");
        }
    });
    const auto answer = stage.send(stage.request(method));
    REQUIRE(answer);
    CHECK(answer->status == status);
    CHECK(answer->headers.get("Location") == "/elsewhere");
    CHECK(stage.server.counted("request") == 1);
}

TEST_CASE("Answers without a body end with their head") {
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_request()) {
                if (request->method == "HEAD") wire.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n");
                if (request->method == "GET") wire.send("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n");
                if (request->method == "DELETE") wire.send("HTTP/1.1 204 No Content\r\n\r\n");
                if (request->method == "PUT")
                    wire.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            }
        },
        plain_or_tls());
    const auto head = stage.send(stage.request(Method::head));
    REQUIRE(head);
    CHECK(head->headers.get("Content-Length") == "12345");
    CHECK(head->body.empty());
    CHECK(stage.send(stage.request(Method::get))->status == 304);
    CHECK(stage.send(stage.request(Method::del))->status == 204);
    CHECK(stage.send(stage.put("x"))->status == 201);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A chunked answer is put together") {
    Stage stage(send_raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n, wide "
                         "wor\r\n2\r\nld\r\n0\r\n\r\n",
                         false),
                plain_or_tls());
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE(answer);
    CHECK(answer->body == "hello, wide world");
}

TEST_CASE("An answer without a length ends with the connection") {
    Stage stage(send_raw("HTTP/1.1 200 OK\r\n\r\nuntil the end"), plain_or_tls());
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE(answer);
    CHECK(answer->body == "until the end");
}

TEST_CASE("A large answer goes into the sink as it comes") {
    constexpr std::size_t kSize = 5'000'001;
    std::string content(kSize, '\0');
    PatternBody::fill(0, std::as_writable_bytes(std::span(content)));
    Stage stage(
        [&](Wire& wire) {
            while (wire.read_request()) wire.answer(206, content);
        },
        plain_or_tls());
    KeepingSink sink;
    http::Request request = stage.request(Method::get);
    request.sink = &sink;
    const auto answer = stage.send(request);
    REQUIRE(answer);
    CHECK(answer->status == 206);
    CHECK(answer->body.empty());
    CHECK(sink.begun == 1);
    CHECK(sink.status == 206);
    CHECK(sink.seen == content);
    CHECK(sink.writes > 1);
}

TEST_CASE("A sink that does not want an answer leaves it to the response") {
    Stage stage(
        [](Wire& wire) {
            while (wire.read_request()) wire.answer(404, "<Error/>");
        },
        plain_or_tls());
    KeepingSink sink(false);
    http::Request request = stage.request(Method::get);
    request.sink = &sink;
    const auto answer = stage.send(request);
    REQUIRE(answer);
    CHECK(answer->body == "<Error/>");
    CHECK(sink.begun == 1);
    CHECK(sink.status == 404);
    CHECK(sink.writes == 0);
}

TEST_CASE("The sink hears of an answer without a body, too") {
    Stage stage([](Wire& wire) {
        while (wire.read_request()) wire.answer(200);
    });
    KeepingSink sink;
    http::Request request = stage.request(Method::get);
    request.sink = &sink;
    REQUIRE(stage.send(request));
    CHECK(sink.begun == 1);
    CHECK(sink.writes == 0);
}

TEST_CASE("A sink's error ends the attempt and is what comes back") {
    struct Full final : http::BodySink {
        bool begin(const http::Response&) override { return true; }
        Status write(ByteView) override {
            ++writes;
            return fail(ErrorCode::io, "no space left");
        }
        int writes = 0;
    };
    Stage stage(
        [](Wire& wire) {
            while (wire.read_request()) wire.answer(200, std::string(3'000'000, 'x'));
        },
        plain_or_tls());
    Full sink;
    http::Request request = stage.request(Method::get);
    request.sink = &sink;
    const auto answer = stage.send(request);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::io);
    CHECK(answer.error().fault == TransportFault::local_body);
    CHECK(sink.writes == 1);
}

TEST_CASE("An answer that is cut short is a reset, not an answer") {
    const char* cut =
        GENERATE("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nonly this",
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nonly\r\n", "HTTP/1.1 200 OK\r\nContent-Le");
    Stage stage(send_raw(cut), plain_or_tls());
    const auto answer = stage.send(stage.put("x"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::reset);
    CHECK(answer.error().may_have_applied);
    CHECK(stage.server.counted("sent") == 1);
}

TEST_CASE("A TLS answer without a length must end with close_notify") {
    WireOptions options;
    options.tls = true;
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.send("HTTP/1.1 200 OK\r\n\r\nperhaps not all");
            ::shutdown(wire.fd(), SHUT_WR);  // the end of the stream, but not of the TLS connection
            wire.server().count("cut");
            wire.wait_for_client();
        },
        options);
    const auto answer = stage.send(stage.request(Method::get));
    CHECK(stage.server.wait_for("cut"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::reset);
}

TEST_CASE("What is not HTTP is malformed, whatever it is") {
    const char* bytes =
        GENERATE("SSH-2.0-OpenSSH_9.2\r\n\r\n", "<html>not HTTP at all</html>\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
                 "HTTP/1.1 99999 Big\r\n\r\n", "HTTP/1.1 42 Small\r\n\r\n",
                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                 "HTTP/1.1 200 OK\r\nContent-Length: some\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx",
                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n",
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n");
    Stage stage(send_raw(bytes, false));
    KeepingSink sink;
    http::Request request = stage.put("x");
    if (GENERATE(false, true)) request.sink = &sink;
    const auto answer = stage.send(request, std::chrono::seconds(10));
    REQUIRE_FALSE(answer);
    INFO(answer.error().message);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::malformed);
    CHECK(answer.error().may_have_applied);
    CHECK(stage.server.counted("sent") == 1);
}

TEST_CASE("After a malformed answer the connection is not used again") {
    Stage stage([](Wire& wire) {
        while (wire.read_request()) {
            if (wire.number() == 0) {
                wire.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold");
            } else {
                wire.answer(200, "new");
            }
        }
    });
    CHECK_FALSE(stage.send(stage.put("x")));
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE(answer);
    CHECK(answer->body == "new");
    CHECK(stage.server.connections() == 2);
}

TEST_CASE("An answer of more than 64 MiB is not collected in memory") {
    Stage stage([](Wire& wire) {
        wire.read_request();
        wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
        const std::string piece(1'000'000, 'x');
        for (int i = 0; i < 100; ++i) {
            if (!wire.send(piece)) wire.server().count("refused");
        }
    });
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::malformed);
    CHECK(stage.server.wait_for("refused"));
}

TEST_CASE("A header that comes twice is joined by a comma") {
    Stage stage(send_raw("HTTP/1.1 200 OK\r\nVary: a\r\nContent-Length: 0\r\nvary: b\r\n\r\n", false));
    const auto answer = stage.send(stage.request(Method::get));
    REQUIRE(answer);
    CHECK(answer->headers.get("Vary") == "a, b");
}
