// azure/pipeline: when a write is sent again after its answer was lost, and what an error says about it.
#include <functional>
#include <tuple>

#include "support/catch.hpp"
#include "unit/azure/pipeline_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using test::foreign_answer;
using test::options_with;
using test::service_answer;
using Rig = test::PipelineRig;

TEST_CASE("an ambiguous write is never sent again once it may have been carried out") {
    const auto expect_no_repeat = [](const std::function<void(test::ScriptedTransport&)>& script) {
        Rig rig;
        script(rig.transport);
        const auto answer = rig.send(Replay::ambiguous);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().may_have_applied);
        CHECK(rig.transport.done());
        CHECK(rig.transport.requests.size() == 1);
    };
    for (const auto fault : {TransportFault::timeout, TransportFault::reset, TransportFault::malformed}) {
        expect_no_repeat([&](test::ScriptedTransport& t) { t.fail(fault, true); });
    }
    for (const int status : {408, 500, 502, 504}) {
        expect_no_repeat([&](test::ScriptedTransport& t) { t.answer(service_answer(status)); });
    }
    expect_no_repeat([](test::ScriptedTransport& t) { t.answer(foreign_answer(502)); });
    expect_no_repeat([](test::ScriptedTransport& t) { t.answer(foreign_answer(201)); });
    expect_no_repeat([](test::ScriptedTransport& t) { t.answer(service_answer(200)); });
    expect_no_repeat([](test::ScriptedTransport& t) {
        auto busy = service_answer(503, "ServerBusy");
        busy.times_sent = 2;  // the first copy may have been carried out
        t.answer(busy);
    });
}

TEST_CASE("an ambiguous write is sent again as long as it was certainly not carried out") {
    Rig rig(options_with(9));
    rig.transport.fail(TransportFault::connect, false);
    rig.transport.fail(TransportFault::resolve, false);
    rig.transport.fail(TransportFault::early_close, false);
    rig.transport.answer(service_answer(503, "ServerBusy"));
    rig.transport.answer(service_answer(429));
    rig.transport.answer(service_answer(412, "ConditionNotMet"));
    const auto answer = rig.send(Replay::ambiguous);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().service_code == "ConditionNotMet");
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(rig.transport.done());
}

TEST_CASE("a guarded write is sent again, and a refusal after that is flagged") {
    Rig rig;
    rig.transport.fail(TransportFault::reset, true);
    rig.transport.answer(service_answer(412, "ConditionNotMet"));
    const auto refused = rig.send(Replay::conditional);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().service_code == "ConditionNotMet");
    CHECK(refused.error().may_have_applied);
    CHECK_FALSE(refused.error().retryable);

    rig.transport.answer(service_answer(412, "ConditionNotMet"));
    const auto plain = rig.send(Replay::conditional);
    REQUIRE_FALSE(plain);
    CHECK_FALSE(plain.error().may_have_applied);

    rig.transport.fail(TransportFault::timeout, true);
    rig.transport.answer(service_answer(201));
    const auto done = rig.send(Replay::conditional);
    REQUIRE(done);
    CHECK(rig.transport.done());
}

TEST_CASE("what the transport sent twice by itself is flagged like a repeat") {
    Rig rig;
    auto refused = service_answer(409, "BlobAlreadyExists");
    refused.times_sent = 2;
    rig.transport.answer(refused);
    const auto answer = rig.send(Replay::conditional);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().may_have_applied);
    auto done = service_answer(201);
    done.times_sent = 2;
    rig.transport.answer(done);
    CHECK(rig.send(Replay::conditional));
}

TEST_CASE("a read never may have been applied") {
    Rig rig(options_with(2));
    rig.transport.fail(TransportFault::reset, true);
    rig.transport.answer(service_answer(500, "InternalError"));
    const auto answer = rig.send(Replay::harmless, http::Method::get);
    REQUIRE_FALSE(answer);
    CHECK_FALSE(answer.error().may_have_applied);
}

TEST_CASE("where the server twice closed on a body, a request without one learns why") {
    for (const auto& [status, code, means] : std::vector<std::tuple<int, std::string, ErrorCode>>{
             {403, "AuthenticationFailed", ErrorCode::auth}, {404, "ContainerNotFound", ErrorCode::not_found}}) {
        Rig rig;
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.answer(service_answer(status, code));
        Operation op = Rig::op(Replay::ambiguous);
        op.request.query = {{"comp", "block"}, {"blockid", "MDAx"}};
        op.request.headers.set("x-ms-lease-id", "x");
        const auto answer = rig.pipeline.send(op, {});
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == means);
        CHECK(answer.error().service_code == code);
        CHECK(answer.error().operation == "Put Blob");
        CHECK_FALSE(answer.error().may_have_applied);
        REQUIRE(rig.transport.requests.size() == 3);
        const http::Request& probe = rig.transport.requests[2];
        CHECK(probe.method == http::Method::head);
        CHECK(probe.wire_target() == "/box/b");
        CHECK(probe.body == nullptr);
        CHECK(probe.headers.has("Authorization"));
        CHECK_FALSE(probe.headers.has("x-ms-lease-id"));
        CHECK(probe.headers.get("x-ms-client-request-id") ==
              rig.transport.requests[0].headers.get("x-ms-client-request-id"));
    }
}

TEST_CASE("a probe that explains nothing changes nothing, and is made once") {
    for (const int status : {200, 404, 503}) {
        Rig rig;
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.answer(service_answer(status, status == 404 ? "BlobNotFound" : ""));
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.answer(service_answer(201));
        const auto answer = rig.send(Replay::ambiguous);
        REQUIRE(answer);
        CHECK(rig.transport.done());
    }
}

TEST_CASE("a SAS that may write and not read is not refused because of the probe") {
    for (const auto& [permissions, code] :
         std::vector<std::pair<std::string, ErrorCode>>{{"w", ErrorCode::unavailable}, {"l", ErrorCode::auth}}) {
        CAPTURE(permissions);
        Rig rig(options_with(3), Credential::sas(Secret("sr=c&sp=" + permissions + "&sig=x")).value());
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.fail(TransportFault::early_close, false);
        rig.transport.answer(service_answer(403, "AuthorizationPermissionMismatch"));
        rig.transport.fail(TransportFault::early_close, false);
        const auto answer = rig.send(Replay::harmless);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == code);
        if (code == ErrorCode::auth) CHECK(answer.error().message == "the SAS permits l; this needs c or w");
    }
}

TEST_CASE("a page of somebody in between is weather for every request, unless a proxy wants credentials") {
    for (const int status : {301, 302, 400, 401, 403, 404, 409, 412, 416, 501, 511}) {
        for (const Replay replay : {Replay::harmless, Replay::ambiguous}) {
            INFO(status);
            Rig rig;
            rig.transport.answer(foreign_answer(status));
            rig.transport.answer(service_answer(201));
            const bool repeated = replay == Replay::harmless;
            CHECK(rig.send(replay).has_value() == repeated);
            CHECK(rig.transport.requests.size() == (repeated ? 2 : 1));
        }
    }
    Rig rig;
    rig.transport.answer(foreign_answer(407));
    CHECK_FALSE(rig.send(Replay::harmless));
    CHECK(rig.transport.requests.size() == 1);
}

TEST_CASE("a page that stays is given up after the attempts, however long an outage may last") {
    auto options = options_with(3);
    options.retry.retry_for = std::chrono::hours(1);
    Rig rig(options);
    for (int i = 0; i < 3; ++i) rig.transport.answer(foreign_answer(403));
    const auto answer = rig.send(Replay::harmless);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().may_have_applied);
    CHECK(rig.transport.done());
}

TEST_CASE("a sign-in page is no success, whatever its status") {
    Rig rig(options_with(2));
    rig.transport.answer(foreign_answer(201));
    rig.transport.answer(foreign_answer(201));
    const auto answer = rig.send(Replay::harmless);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::malformed);
    CHECK(answer.error().http_status == 201);
    CHECK(answer.error().may_have_applied);
}
