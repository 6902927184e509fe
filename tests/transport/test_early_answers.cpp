// A server that answers before it has read the request: its status must not be lost.
#include <sys/socket.h>

#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

constexpr std::uint64_t kLarge = 30'000'000;  // far more than both sides' socket buffers

WireOptions small_buffers() {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 64 * 1024;
    return options;
}

http::Request large_put(const Stage& stage) {
    return put_of(stage.server.origin(), std::make_shared<PatternBody>(kLarge));
}

}  // namespace

TEST_CASE("A refusal that comes while the body is being sent, with the connection closed behind it, is the answer") {
    const int status = GENERATE(400, 403, 404, 409, 412, 413, 503);
    const std::string why = "<Error><Code>Some</Code></Error>";
    Stage stage(
        [&](Wire& wire) {
            wire.read_head();
            wire.skip_body(100'000);
            wire.answer(status, why, "x-ms-error-code: Some\r\nConnection: close\r\n");
            wire.server().count("answered early");
            wire.close();  // a reset, since there is more to read
        },
        small_buffers());
    for (int i = 1; i <= 5; ++i) {
        const auto answer = stage.send(large_put(stage));
        REQUIRE(answer);
        CHECK(answer->status == status);
        CHECK(answer->headers.get("x-ms-error-code") == "Some");
        CHECK(answer->body == why);
        CHECK(answer->early);
        CHECK(answer->times_sent == 1);
        CHECK(stage.server.counted("answered early") == i);
    }
}

TEST_CASE("The same on a pooled connection") {
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.answer(200);
            wire.read_head();
            wire.skip_body(100'000);
            wire.answer(503, "busy", "Retry-After: 7\r\n");
            wire.server().count("answered early");
        },
        small_buffers());
    REQUIRE(stage.send(stage.request(Method::get)));
    const auto answer = stage.send(large_put(stage));
    REQUIRE(answer);
    CHECK(answer->status == 503);
    CHECK(answer->headers.get("Retry-After") == "7");
    CHECK(answer->early);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("An early answer in chunks, or longer than one read, is whole") {
    const bool chunked = GENERATE(false, true);
    const std::string why(20'000, 'y');
    Stage stage(
        [&](Wire& wire) {
            wire.read_head();
            if (chunked) {
                wire.send("HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n" + why.substr(0, 10'000) +
                          "\r\n2710\r\n" + why.substr(10'000) + "\r\n0\r\n\r\n");
            } else {
                wire.answer(403, why);
            }
            wire.server().count("answered early");
        },
        small_buffers());
    const auto answer = stage.send(large_put(stage));
    REQUIRE(answer);
    CHECK(answer->status == 403);
    CHECK(answer->body == why);
    CHECK(answer->early);
}

TEST_CASE("An early answer goes the way of every answer: through the sink") {
    const bool take = GENERATE(false, true);
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            wire.answer(403, "why");
        },
        small_buffers());
    KeepingSink sink(take);
    http::Request request = large_put(stage);
    request.sink = &sink;
    const auto answer = stage.send(request);
    REQUIRE(answer);
    CHECK(sink.begun == 1);
    CHECK(sink.status == 403);
    CHECK(sink.seen == (take ? "why" : ""));
    CHECK(answer->body == (take ? "" : "why"));
}

TEST_CASE("An early answer of a server that reads on is the answer") {
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_head()) {
                wire.answer(503, "busy");
                wire.server().count("answered early");
                if (wire.skip_body(request->content_length()) == kLarge) wire.server().count("read whole");
            }
        },
        small_buffers());
    for (int i = 0; i < 2; ++i) {
        const auto answer = stage.send(large_put(stage));
        REQUIRE(answer);
        CHECK(answer->status == 503);
        CHECK(answer->body == "busy");
    }
    CHECK(stage.server.counted("answered early") == 2);
}

TEST_CASE("An early answer of a server that stops reading but does not close is there by the deadline") {
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            wire.answer(413, "too much");
            wire.server().count("answered early");
            wire.wait_for_client();
        },
        small_buffers());
    const auto answer = stage.send(large_put(stage), std::chrono::milliseconds(500));
    REQUIRE(answer);
    CHECK(answer->status == 413);
    CHECK(answer->body == "too much");
    CHECK(answer->early);
}

TEST_CASE("An informational answer before an early one is skipped") {
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            wire.send("HTTP/1.1 102 Processing\r\n\r\n");
            wire.answer(403, "why");
        },
        small_buffers());
    const auto answer = stage.send(large_put(stage));
    REQUIRE(answer);
    CHECK(answer->status == 403);
    CHECK(answer->body == "why");
}

TEST_CASE("A connection that breaks in the middle of the body, without a word, is an error that cannot have applied") {
    const int how = GENERATE(0, 1, 2);
    Stage stage(
        [&](Wire& wire) {
            wire.read_head();
            wire.skip_body(100'000);
            if (how == 2) wire.send("HTTP/1.1 201 Created\r\nContent-Le");
            wire.server().count("broken");
            if (how == 0) {
                wire.reset();
            } else {
                wire.close();
            }
        },
        small_buffers());
    const auto answer = stage.send(large_put(stage));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::early_close);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(stage.server.counted("broken") == 1);
    CHECK(stage.server.connections() == 1);
}
