// ops/login/token_request: which token requests are sent again and when, and what is never accepted.
#include "ops/login/token_request.hpp"
#include "support/catch.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;
using test::LoginRig;
using test::token_answer;

namespace {

Result<http::Response> send_to_desk(LoginRig& rig, const TokenRetries& retries = {}, Deadline deadline = kNoDeadline,
                                    const http::Origin& origin = {true, "login.test", 443}) {
    http::Request request;
    request.origin = origin;
    return send_token_request(rig.line(), std::move(request), "the desk", retries, deadline, {});
}

}  // namespace

TEST_CASE("what may pass is asked again, with a growing pause, and all else is an answer") {
    LoginRig rig;
    rig.transport.answer(token_answer(503, ""));
    rig.transport.fail(TransportFault::reset, true);
    rig.transport.answer(token_answer(200, "{}"));
    const auto answer = send_to_desk(rig);
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(rig.clock.waits().size() == 2);
    CHECK(rig.clock.waits()[0] <= 1s);
    CHECK(rig.clock.waits()[1] <= 2s);
    CHECK(rig.clock.waits()[0] >= 500ms);
    for (const int status : {501, 502, 504, 511}) {
        LoginRig other;
        other.transport.answer(token_answer(status, ""));
        other.transport.answer(token_answer(200, "{}"));
        CHECK(send_to_desk(other)->status == 200);
    }
    for (const int status : {200, 302, 400, 401, 403, 404, 410, 500}) {
        LoginRig other;
        for (int i = 0; i < (status == 500 ? 3 : 1); ++i) other.transport.answer(token_answer(status, ""));
        const auto final = send_to_desk(other);
        REQUIRE(final);
        CHECK(final->status == status);
        CHECK(other.transport.done());
    }
}

TEST_CASE("Retry-After is a lower bound, up to a minute, and the deadline is kept") {
    LoginRig rig;
    rig.transport.answer(token_answer(429, "", {{"Retry-After", "7"}}));
    rig.transport.answer(token_answer(429, "", {{"Retry-After", "86400"}}));
    rig.transport.answer(token_answer(200, ""));
    REQUIRE(send_to_desk(rig));
    CHECK(rig.clock.waits() == std::vector<std::chrono::nanoseconds>{7s, 60s});
    LoginRig hurried;
    hurried.transport.answer(token_answer(429, "", {{"Retry-After", "7"}}));
    const auto answer = send_to_desk(hurried, {}, hurried.clock.after(5s));
    REQUIRE(answer);
    CHECK(answer->status == 429);
    CHECK(hurried.clock.waits().empty());
    CHECK(hurried.transport.deadlines.front() == hurried.clock.after(5s));
}

TEST_CASE("a service that starts or is updated is waited for where that is known to pass") {
    TokenRetries retries;
    retries.missing_passes = true;
    retries.gone_for = 75s;
    LoginRig rig;
    rig.transport.answer(token_answer(404, ""));
    for (int i = 0; i < 9; ++i) rig.transport.answer(token_answer(410, ""));
    rig.transport.answer(token_answer(200, ""));
    const auto answer = send_to_desk(rig, retries);
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(rig.transport.done());
    LoginRig never;
    for (int i = 0; i < 40; ++i) never.transport.answer(token_answer(410, ""));
    const BootTime start = never.clock.now();
    CHECK(send_to_desk(never, retries)->status == 410);
    CHECK(never.clock.now() - start >= 70s);
    CHECK(never.clock.now() - start <= 90s);
}

TEST_CASE("the limits of the user bound the attempts of a token request and the time of each") {
    TokenRetries patient;
    patient.gone_for = 75s;
    for (const int status : {503, 410}) {
        LoginRig rig;
        rig.limits = {2s, 2};
        for (int i = 0; i < 2; ++i) rig.transport.answer(token_answer(status, ""));
        const BootTime start = rig.clock.now();
        const auto answer = send_to_desk(rig, patient);
        REQUIRE(answer);
        CHECK(answer->status == status);
        CHECK(rig.transport.requests.size() == 2);
        CHECK(rig.transport.deadlines.front() == start + 2s);
    }
}

TEST_CASE("limits that allow more than a token request takes change nothing") {
    LoginRig rig;
    rig.limits = {10min, 50};
    for (int i = 0; i < 3; ++i) rig.transport.answer(token_answer(503, ""));
    const BootTime start = rig.clock.now();
    CHECK(send_to_desk(rig)->status == 503);
    CHECK(rig.transport.deadlines.front() == start + 30s);
}

TEST_CASE("a stop ends the pause before the next attempt") {
    LoginRig rig;
    std::stop_source stop;
    rig.transport.play([&](const http::Request&, const std::stop_token&) -> Result<http::Response> {
        stop.request_stop();
        return token_answer(503, "");
    });
    http::Request request;
    request.origin = {true, "login.test", 443};
    const auto answer =
        send_token_request(rig.line(), std::move(request), "the desk", {}, kNoDeadline, stop.get_token());
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::cancelled);
    CHECK(rig.transport.requests.size() == 1);
}

TEST_CASE("no answer is an error that names the source and keeps its kind") {
    LoginRig rig;
    for (int i = 0; i < 3; ++i) rig.transport.fail(TransportFault::connect, false);
    const auto answer = send_to_desk(rig);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::connect);
    CHECK(answer.error().message == "the desk gave no token: no answer");
    LoginRig refused;
    refused.transport.fail(TransportFault::tls, false);
    CHECK(send_to_desk(refused).error().fault == TransportFault::tls);
    CHECK(refused.transport.done());
}

TEST_CASE("an answer of more than 1 MiB is refused, and so is asking again") {
    LoginRig rig;
    rig.transport.answer(token_answer(200, std::string(1024 * 1024, 'x')));
    CHECK(send_to_desk(rig)->body.size() == 1024 * 1024);
    rig.transport.answer(token_answer(200, std::string(1024 * 1024 + 1, 'x')));
    const auto answer = send_to_desk(rig);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.find("1 MiB") != std::string::npos);
    CHECK(rig.transport.done());
}

TEST_CASE("what is on this machine or its link goes past the proxies, and so does plain http to a private network") {
    for (const char* host : {"127.0.0.1", "::1", "localhost", "169.254.169.254", "fe80::1"}) {
        LoginRig rig;
        rig.transport.answer(token_answer(200, ""));
        REQUIRE(send_to_desk(rig, {}, kNoDeadline, {false, host, 80}));
        CHECK(rig.transport.requests[0].past_proxy);
    }
    LoginRig plain;
    plain.transport.answer(token_answer(200, ""));
    REQUIRE(send_to_desk(plain, {}, kNoDeadline, {false, "10.0.0.1", 80}));
    CHECK(plain.transport.requests[0].past_proxy);
    for (const char* host : {"login.microsoftonline.com", "169.254.example.org", "10.0.0.1"}) {
        LoginRig rig;
        rig.transport.answer(token_answer(200, ""));
        REQUIRE(send_to_desk(rig, {}, kNoDeadline, {true, host, 443}));
        CHECK_FALSE(rig.transport.requests[0].past_proxy);
    }
}

TEST_CASE("a refusal that may pass lets the request wait, and any other one does not") {
    CHECK(refusal_of(token_answer(503, ""), "s", {}).fault == TransportFault::other);
    CHECK(refusal_of(token_answer(503, ""), "s", {}).code == ErrorCode::unavailable);
    CHECK(refusal_of(token_answer(400, ""), "s", {}).fault == TransportFault::none);
    CHECK(refusal_of(token_answer(400, ""), "s", {}).code == ErrorCode::auth);
}

TEST_CASE("a form is percent-encoded") {
    CHECK(encode_form({{"a", "b c&d=e+"}, {"scope", "https://x/.default"}}) ==
          "a=b%20c%26d%3De%2B&scope=https%3A%2F%2Fx%2F.default");
    CHECK(encode_form({}).empty());
}
