// azure/pipeline: dates and ids, signing, which requests are sent again, waits, deadlines and stops.
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

TEST_CASE("waits grow with jitter below base and cap") {
    PipelineOptions options = options_with(9);
    options.retry.base = 1s;
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

TEST_CASE("a try ends when nothing moves for its time and that of its bytes, and with the call") {
    PipelineOptions options;
    options.try_timeout = 10s;
    options.slowest_rate = 1000;
    Rig rig(options);
    for (int i = 0; i < 4; ++i) rig.transport.answer(service_answer(201));
    rig.transport.answer(service_answer(200));
    const BootTime start = rig.clock.now();
    REQUIRE(rig.send(Replay::harmless));
    CHECK(rig.transport.requests[0].quiet_timeout == 10s);
    Operation big = Rig::op(Replay::harmless);
    big.request.body = http::make_body(std::string(5000, 'x'));
    big.expected_download = 2000;
    REQUIRE(rig.pipeline.send(big, {}));
    CHECK(rig.transport.requests[1].quiet_timeout == 17s);
    CHECK(rig.transport.deadlines[1] == kNoDeadline);  // as long as its bytes move
    REQUIRE(rig.send(Replay::harmless, http::Method::put, {start + 3s, {}}));
    CHECK(rig.transport.deadlines[2] == start + 3s);
    Operation bare = Rig::op(Replay::harmless);
    bare.request.body = nullptr;
    REQUIRE(rig.pipeline.send(bare, {}));
    CHECK(rig.transport.deadlines[3] == start + 10s);
    REQUIRE(rig.send(Replay::harmless, http::Method::get));
    CHECK(rig.transport.deadlines[4] == kNoDeadline);  // a list of blocks can be long
}

TEST_CASE("with patience a try ends when that is over, even if its bytes still move") {
    PipelineOptions options;
    options.try_timeout = 10s;
    options.retry.patience = 24s;
    Rig rig(options);
    const BootTime start = rig.clock.now();
    rig.transport.play([&](const http::Request&, std::stop_token) -> Result<http::Response> {
        rig.clock.advance(20s);
        Error error = make_error(ErrorCode::unavailable, "no answer");
        error.fault = TransportFault::connect;
        return fail(std::move(error));
    });
    rig.transport.answer(service_answer(200));
    REQUIRE(rig.send(Replay::harmless, http::Method::get));
    CHECK(rig.transport.deadlines[0] == start + 24s);
    const BootTime second = rig.clock.now();
    CHECK(rig.transport.deadlines[1] <= std::max(second, start + 20s) + 10s);
}

TEST_CASE("a call that wants to send less after a timeout gets it back at once") {
    Rig rig;
    rig.transport.fail(TransportFault::timeout, false);
    Call call;
    call.longest_send = 10s;
    const auto slow = rig.send(Replay::harmless, http::Method::put, call);
    REQUIRE_FALSE(slow);
    CHECK(slow.error().fault == TransportFault::timeout);
    CHECK(slow.error().retryable);
    CHECK(rig.transport.requests[0].longest_send == 10s);
    rig.transport.fail(TransportFault::connect, false);
    rig.transport.answer(service_answer(201));
    CHECK(rig.send(Replay::harmless, http::Method::put, call));
}

TEST_CASE("once the rate is known a try has sixteen times its bytes' time, and all the time again after a timeout") {
    PipelineOptions options;
    options.try_timeout = 10s;
    options.slowest_rate = 64 * 1024;
    options.retry.max_attempts = 1;
    Rig rig(options);
    const auto body = http::make_body(std::string(16 * 1024 * 1024, 'x'));
    const auto send = [&] {
        Operation big = Rig::op(Replay::harmless);
        big.request.body = body;
        (void)rig.pipeline.send(big, {});
        return rig.transport.requests.back().quiet_timeout;
    };
    const auto taking = [&](std::chrono::seconds span) {
        rig.transport.play([&rig, span](const http::Request&, std::stop_token) -> Result<http::Response> {
            rig.clock.advance(span);
            return service_answer(201);
        });
    };
    taking(1s);
    CHECK(send() == 10s + 256s);
    taking(1s);
    CHECK(send() == 10s + 16s);
    rig.transport.play([](const http::Request&, std::stop_token) -> Result<http::Response> {
        Error error = make_error(ErrorCode::unavailable, "no answer");
        error.fault = TransportFault::timeout;
        return fail(std::move(error));
    });
    CHECK(send() == 10s + 16s);
    taking(1s);
    CHECK(send() == 10s + 256s);
}

TEST_CASE("past its deadline a call sends nothing more and says what the last attempt said") {
    Rig rig;
    const auto late = rig.send(Replay::harmless, http::Method::put, {rig.clock.now(), {}});
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::unavailable);
    CHECK(late.error().fault == TransportFault::timeout);
    CHECK_FALSE(late.error().may_have_applied);
    CHECK(rig.transport.requests.empty());

    // A wait that would end after the deadline does not begin.
    rig.transport.answer(service_answer(503, "ServerBusy", {{"Retry-After", "5"}}));
    const auto waiting = rig.send(Replay::harmless, http::Method::put, {rig.clock.now() + 5s, {}});
    REQUIRE_FALSE(waiting);
    CHECK(waiting.error().service_code == "ServerBusy");
    CHECK(waiting.error().message.find("the deadline passed") != std::string::npos);
    CHECK(waiting.error().retryable);
    CHECK(rig.clock.waits().empty());

    // An attempt that uses all the time.
    rig.transport.play([&](const http::Request&, std::stop_token) -> Result<http::Response> {
        rig.clock.advance(5s);
        Error error = make_error(ErrorCode::unavailable, "the server did not answer");
        error.fault = TransportFault::timeout;
        error.may_have_applied = true;
        return fail(std::move(error));
    });
    const auto used = rig.send(Replay::harmless, http::Method::put, {rig.clock.now() + 5s, {}});
    REQUIRE_FALSE(used);
    CHECK(used.error().message.find("the server did not answer") != std::string::npos);
    CHECK(used.error().may_have_applied);
}

TEST_CASE("a wait that took longer than it should does not hide what the last attempt said") {
    class Sleepy final : public Clock {
      public:
        [[nodiscard]] BootTime now() const override { return inner.now(); }
        [[nodiscard]] WallTime wall() const override { return inner.wall(); }
        bool wait_until(BootTime when, std::stop_token stop) override {
            return inner.wait_until(when + 1h, std::move(stop));  // the machine was suspended
        }
        test::FakeClock inner;
    };
    Sleepy clock;
    test::ScriptedTransport transport;
    SeededRandom random(1);
    Pipeline pipeline(transport, clock, random, Credential::anonymous(), {});
    transport.answer(service_answer(500, "InternalError"));
    const auto answer = pipeline.send(Rig::op(Replay::harmless), {clock.now() + 60s, {}});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().service_code == "InternalError");
    CHECK(answer.error().may_have_applied);
    CHECK(answer.error().message.find("the deadline passed") != std::string::npos);
}

TEST_CASE("a stop ends the call before, during and after a try") {
    std::stop_source before;
    before.request_stop();
    Rig rig;
    const auto first = rig.send(Replay::harmless, http::Method::put, {kNoDeadline, before.get_token()});
    REQUIRE_FALSE(first);
    CHECK(first.error().code == ErrorCode::cancelled);
    CHECK_FALSE(first.error().may_have_applied);
    CHECK(rig.transport.requests.empty());

    std::stop_source during;
    rig.transport.play([&](const http::Request&, std::stop_token stop) -> Result<http::Response> {
        during.request_stop();
        CHECK(stop.stop_requested());
        Error error = make_error(ErrorCode::cancelled, "stopped");
        error.may_have_applied = true;
        return fail(std::move(error));
    });
    const auto second = rig.send(Replay::harmless, http::Method::put, {kNoDeadline, during.get_token()});
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::cancelled);
    CHECK(second.error().may_have_applied);
    CHECK(second.error().operation == "Put Blob");

    std::stop_source backoff;
    rig.transport.play([&](const http::Request&, std::stop_token) {
        backoff.request_stop();
        return service_answer(500, "OperationTimedOut");
    });
    const auto third = rig.send(Replay::harmless, http::Method::put, {kNoDeadline, backoff.get_token()});
    REQUIRE_FALSE(third);
    CHECK(third.error().code == ErrorCode::cancelled);
    CHECK(third.error().may_have_applied);
    CHECK(rig.transport.done());
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
