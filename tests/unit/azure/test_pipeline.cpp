// azure/pipeline: dates and ids, signing, which requests are sent again, and the waits between.
#include <new>

#include "azure/shared_key.hpp"
#include "base/http_date.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"
#include "unit/azure/pipeline_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace std::chrono_literals;
using test::kRigKey;
using test::options_with;
using test::service_answer;
using Rig = test::PipelineRig;

TEST_CASE("every request is stamped, dated and signed as it goes out") {
    PipelineOptions options;
    options.api_version = "2021-12-02";
    options.user_agent = "azlock/test";
    Rig rig(options);
    rig.transport.answer(service_answer(201));
    const auto answer = rig.send(Replay::harmless);
    REQUIRE(answer);
    CHECK(answer->status == 201);
    CHECK(rig.transport.done());
    const http::Headers& sent = rig.transport.requests[0].headers;
    CHECK(sent.get("x-ms-version") == "2021-12-02");
    CHECK(sent.get("User-Agent") == "azlock/test");
    CHECK(sent.get("x-ms-client-request-id").size() == 36);
    CHECK(sent.get("x-ms-date") == format_http_date(rig.clock.wall()));
    const std::string text = string_to_sign(rig.transport.requests[0], "acct");
    CHECK(sent.get("Authorization") == "SharedKey acct:" + sign(*base64_decode(kRigKey), text));
    CHECK(text.find("x-ms-client-request-id:") != std::string::npos);
    CHECK_FALSE(sent.has("Date"));
}

TEST_CASE("over the attempts of a call the client request id stays, date and signature are fresh") {
    Rig rig;
    rig.transport.play([&](const http::Request&, std::stop_token) {
        rig.clock.advance(10s);
        return service_answer(503, "ServerBusy");
    });
    rig.transport.answer(service_answer(201));
    REQUIRE(rig.send(Replay::harmless));
    const http::Headers first = rig.transport.requests[0].headers;
    const http::Headers second = rig.transport.requests[1].headers;
    CHECK(first.get("x-ms-client-request-id") == second.get("x-ms-client-request-id"));
    CHECK(first.get("x-ms-date") != second.get("x-ms-date"));
    CHECK(first.get("Authorization") != second.get("Authorization"));
    CHECK(second.get("Authorization") ==
          "SharedKey acct:" + sign(*base64_decode(kRigKey), string_to_sign(rig.transport.requests[1], "acct")));
    rig.transport.answer(service_answer(201));
    REQUIRE(rig.send(Replay::harmless));
    CHECK(rig.transport.requests[2].headers.get("x-ms-client-request-id") != first.get("x-ms-client-request-id"));
}

TEST_CASE("the transient statuses are tried again, all others are not") {
    for (const int status : {408, 429, 500, 502, 503, 504}) {
        INFO(status);
        Rig rig;
        rig.transport.answer(service_answer(status));
        rig.transport.answer(service_answer(200));
        const auto answer = rig.send(Replay::harmless, http::Method::get);
        REQUIRE(answer);
        CHECK(rig.transport.done());
    }
    for (const int status : {304, 400, 401, 403, 404, 405, 409, 411, 412, 413, 416, 501, 505}) {
        INFO(status);
        Rig rig;
        rig.transport.answer(service_answer(status));
        const auto answer = rig.send(Replay::harmless, http::Method::get);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().http_status == status);
        CHECK(rig.transport.requests.size() == 1);
        CHECK(rig.clock.waits().empty());
    }
    Rig rig;
    rig.transport.answer(service_answer(500, "FeatureNotSupported"));
    const auto answer = rig.send(Replay::harmless);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().service_code == "FeatureNotSupported");
    CHECK_FALSE(answer.error().retryable);
}

TEST_CASE("every kind of no answer is tried again but an untrusted server and our own fault") {
    for (const auto fault : {TransportFault::resolve, TransportFault::connect, TransportFault::timeout,
                             TransportFault::reset, TransportFault::malformed, TransportFault::other}) {
        Rig rig;
        rig.transport.fail(fault, false);
        rig.transport.answer(service_answer(201));
        CHECK(rig.send(Replay::ambiguous));
        Rig once(options_with(1));
        once.transport.fail(fault, false);
        const auto given_up = once.send(Replay::ambiguous);
        REQUIRE_FALSE(given_up);
        CHECK(given_up.error().retryable);
    }
    for (const auto fault : {TransportFault::tls, TransportFault::local_body}) {
        Rig rig;
        rig.transport.fail(fault, false);
        const auto answer = rig.send(Replay::harmless);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().fault == fault);
        CHECK(answer.error().operation == "Put Blob");
        CHECK(answer.error().target == "box/b");
        CHECK(answer.error().client_request_id.size() == 36);
    }
}

TEST_CASE("it gives up after the attempts it may make and says so") {
    Rig rig(options_with(3));
    for (int i = 0; i < 3; ++i) rig.transport.answer(service_answer(503, "ServerBusy"));
    const auto answer = rig.send(Replay::harmless);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().retryable);
    CHECK(answer.error().service_code == "ServerBusy");
    CHECK(answer.error().message.find("gave up after 3 attempts") != std::string::npos);
    CHECK(rig.transport.done());
    CHECK(rig.clock.waits().size() == 2);
    Rig once(options_with(1));
    once.transport.answer(service_answer(503));
    CHECK(once.send(Replay::harmless).error().message.find("gave up after 1 attempt)") != std::string::npos);
}

TEST_CASE("waits grow with jitter, from the first one up to the cap") {
    PipelineOptions options = options_with(9);
    options.retry.first = 1s;
    options.retry.cap = 8s;
    Rig rig(options);
    for (int i = 0; i < 9; ++i) rig.transport.answer(service_answer(500));
    REQUIRE_FALSE(rig.send(Replay::harmless));
    const auto waits = rig.clock.waits();
    REQUIRE(waits.size() == 8);
    bool long_wait = false;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        CHECK(waits[i] <= std::min<std::chrono::nanoseconds>(8s, 1s * (1U << i)));
        long_wait = long_wait || waits[i] > 2s;
    }
    CHECK(long_wait);
}

TEST_CASE("Retry-After in seconds and as a date is a lower bound, up to its cap") {
    Rig rig;
    rig.transport.answer(service_answer(503, "ServerBusy", {{"Retry-After", "40"}}));
    rig.transport.answer(
        service_answer(503, "ServerBusy", {{"Retry-After", format_http_date(rig.clock.wall() + 90s)}}));
    rig.transport.answer(service_answer(429, {}, {{"Retry-After", "86400"}}));
    rig.transport.answer(service_answer(201));
    REQUIRE(rig.send(Replay::harmless));
    const auto waits = rig.clock.waits();
    REQUIRE(waits.size() == 3);
    CHECK(waits[0] == 40s);
    CHECK(waits[1] == 50s);  // forty seconds of the ninety are over
    CHECK(waits[2] == 120s);
}

TEST_CASE("a header value with a line break is never sent") {
    for (const std::string& value :
         {std::string("a\r\nx-ms-lease-id: b"), std::string("a\nb"), std::string("a\x7F"), std::string("a\0b", 3)}) {
        Rig rig;
        Operation op = Rig::op(Replay::harmless);
        op.request.headers.set("x-ms-blob-content-type", value);
        const auto answer = rig.pipeline.send(op, {});
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::usage);
        CHECK(answer.error().message.find("x-ms-blob-content-type") != std::string::npos);
        CHECK(rig.transport.requests.empty());
    }
}

TEST_CASE("the first broken connection is tried again at once, the second after a wait") {
    Rig rig;
    rig.transport.fail(TransportFault::reset, false);
    rig.transport.fail(TransportFault::reset, false);
    rig.transport.answer(service_answer(201));
    REQUIRE(rig.send(Replay::harmless));
    const auto waits = rig.clock.waits();
    REQUIRE(waits.size() == 2);
    CHECK(waits[0] == 0ns);
    CHECK(waits[1] > 0ns);
    Rig refused;
    refused.transport.fail(TransportFault::connect, false);
    refused.transport.answer(service_answer(201));
    REQUIRE(refused.send(Replay::harmless));
    CHECK(refused.clock.waits()[0] > 0ns);
}

TEST_CASE("a transport that gets no memory: an error of kind io, and a write may have been applied") {
    Rig rig;
    rig.transport.play([](const http::Request&, std::stop_token) -> Result<http::Response> { throw std::bad_alloc(); });
    const bool write = GENERATE(true, false);
    const auto answer = rig.send(Replay::harmless, write ? http::Method::put : http::Method::get);
    REQUIRE(!answer);
    CHECK(answer.error().code == ErrorCode::io);
    CHECK(answer.error().may_have_applied == write);
    CHECK(rig.transport.done());
}
