// azure/pipeline: how long a try and a call may take, and stops.
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
