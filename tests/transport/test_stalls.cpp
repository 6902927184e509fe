// An attempt ends long before its deadline if no bytes move. A server that is only slow does not end it.
#include <thread>

#include "support/catch.hpp"
#include "support/wire_server.hpp"
#include "transport/contract.hpp"

namespace azlock::test {
namespace {

using http::Method;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kStall{500};
constexpr milliseconds kSlow{2000};
constexpr seconds kFarDeadline{60};

http::Request bounded(http::Request request) {
    request.stall_timeout = kStall;
    return request;
}

}  // namespace

TEST_CASE("A body that nobody takes is a stall that cannot have applied") {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 16 * 1024;
    http::TransportOptions transport = trusting();
    transport.direct = GENERATE(true, false);
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            wire.server().count("head");
            (void)wire.server().wait_for("given up");
        },
        options, transport);
    const auto body = std::make_shared<PatternBody>(50'000'000);
    const auto out = timed([&] { return stage.send(bounded(put_of(stage.server.origin(), body)), kFarDeadline); });
    stage.server.count("given up");
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK(out.answer.error().message.find("stalled") != std::string::npos);
    CHECK_FALSE(out.answer.error().may_have_applied);
    CHECK(out.took >= kStall);
    CHECK(out.took < kFarDeadline / 2);
}

TEST_CASE("An answer that stops in the middle is a stall") {
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nsome of it");
            wire.wait_for_client();
        },
        plain_or_tls());
    const auto out = timed([&] { return stage.send(bounded(stage.request(Method::get)), kFarDeadline); });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK(out.took < kFarDeadline / 2);
}

TEST_CASE("A server that has taken the body and thinks about it is no stall") {
    Stage stage(
        [](Wire& wire) {
            while (wire.read_request()) {
                std::this_thread::sleep_for(2 * kStall);
                wire.answer(201);
            }
        },
        plain_or_tls());
    const auto body = std::make_shared<PatternBody>(100'000);
    CHECK(stage.send(bounded(put_of(stage.server.origin(), body)), kFarDeadline));
    CHECK(stage.send(bounded(stage.request(Method::get)), kFarDeadline));
}

TEST_CASE("A body that would take longer than it may ends soon, although it moves") {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 16 * 1024;
    http::TransportOptions transport = trusting();
    transport.direct = GENERATE(true, false);
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            while (wire.server().counted("given up") == 0) {
                std::this_thread::sleep_for(kStall / 10);
                wire.skip_body(10'000);
            }
        },
        options, transport);
    const auto body = std::make_shared<PatternBody>(50'000'000);
    http::Request request = bounded(put_of(stage.server.origin(), body));
    request.longest_send = kSlow;
    const auto out = timed([&] { return stage.send(request, kFarDeadline); });
    stage.server.count("given up");
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK(out.answer.error().message.find("slow") != std::string::npos);
    CHECK_FALSE(out.answer.error().may_have_applied);
    CHECK(out.took >= kSlow / 3);
    CHECK(out.took < kFarDeadline / 4);
}

TEST_CASE("A server that says nothing for the quiet time ends the attempt, whatever its deadline") {
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.wait_for_client();
        },
        plain_or_tls());
    http::Request request = put_of(stage.server.origin(), std::make_shared<PatternBody>(100'000));
    request.quiet_timeout = kStall;
    const auto out = timed([&] { return stage.send(request, kFarDeadline); });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK(out.answer.error().may_have_applied);
    CHECK(out.took >= kStall);
    CHECK(out.took < kFarDeadline / 4);
}

TEST_CASE("A body that moves slowly, but moves, is no stall") {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 16 * 1024;
    http::TransportOptions transport = trusting();
    transport.direct = GENERATE(true, false);
    constexpr std::uint64_t kSize = 4'000'000;
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            for (int i = 0; i < 10; ++i) {
                std::this_thread::sleep_for(kSlow / 8);
                wire.skip_body(kSize / 10);
            }
            wire.answer(201);
        },
        options, transport);
    const auto body = std::make_shared<PatternBody>(kSize);
    http::Request request = put_of(stage.server.origin(), body);
    request.stall_timeout = kSlow;
    const auto out = timed([&] { return stage.send(request, kFarDeadline); });
    CHECK(out.answer);
    CHECK(out.took > kSlow);
}

}  // namespace azlock::test
