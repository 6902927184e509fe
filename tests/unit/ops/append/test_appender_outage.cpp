// An appender whose service cannot be reached, or does not get its bytes whole.
#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;
using ops::AppendLease;

TEST_CASE("a stray page of a proxy is weather, but not without end if the service has never answered", "[append]") {
    for (const int status : {302, 403, 404}) {
        http::Response page;
        page.status = status;
        page.headers.set("Content-Type", "text/html");
        page.body = "<html>Please sign in</html>";
        AppendRig rig;
        rig.faulty.on("Append Block").nth(1).return_response(page);
        rig.faulty.on("Lease Blob").nth(1).return_response(page);
        CHECK(rig.append({"one"}));
        CHECK(rig.content() == "one");
        AppendRig first;
        first.faulty.on("Get Blob Properties").nth(1).return_response(page);
        CHECK(first.append({"one"}));
        AppendRig elsewhere;
        elsewhere.faulty.on(any_request()).from(1).return_response(page);
        const auto refused = elsewhere.append({"one"});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::unavailable);
        CHECK(elsewhere.faulty.requests() < 10);
    }
}

TEST_CASE("an outage is waited for, and told of when it begins and ends", "[append]") {
    AppendRig rig;
    std::size_t began = 0;
    std::size_t ended = 0;
    ops::AppenderOptions options;
    options.retry.told.began = [&](const Error&) { ++began; };
    options.retry.told.ended = [&](std::chrono::nanoseconds) { ++ended; };
    SECTION("nothing gets through") {
        rig.faulty.on("Append Block").nth(2, 30).fail_before();
    }
    SECTION("it begins with a lost answer") {
        rig.faulty.on("Append Block").nth(2).drop_reply();
        rig.faulty.on(lease_action("renew"), "renew").nth(1, 30).fail_before();
    }
    const auto report = rig.append({"one\n", "two\n", "three\n"}, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(began == 1);
    CHECK(ended == 1);
    CHECK(report->retries >= 30);
}

TEST_CASE("retries end with the time that they are given", "[append]") {
    AppendRig rig;
    ops::AppenderOptions options;
    options.retry.retry_for = 30s;
    rig.faulty.on("Append Block").from(1).fail_before();
    const BootTime start = rig.clock.now();
    const auto report = rig.append({"one\n"}, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK_FALSE(report.error().may_have_applied);
    CHECK(rig.clock.now() - start >= 30s);
    CHECK(rig.clock.now() - start < 45s);
    CHECK(rig.content() == "");
    CHECK(rig.lease_state() == "available");
}

TEST_CASE("a batch that was damaged on the way is sent again, and given up the third time", "[append]") {
    AppendRig rig;
    const std::size_t times = GENERATE(2U, 3U);
    rig.faulty.on("Append Block").nth(1, times).return_status(400, "Crc64Mismatch");
    const auto report = rig.append({"one\n"});
    if (times == 2) {
        CHECK(report);
        CHECK(rig.content() == "one\n");
    } else {
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::data);
    }
}

TEST_CASE("a service that has no CRC64 is sent MD5", "[append]") {
    AppendRig rig;
    rig.faulty.on("Append Block").nth(1).return_status(400, "UnsupportedHeader");
    REQUIRE(rig.append({"one\n", "two\n"}));
    CHECK(rig.sent("Append Block", 1).has("Content-MD5"));
    CHECK(rig.sent("Append Block", 2).has("Content-MD5"));
}

TEST_CASE("a stop ends the waiting for an answer, and says whether the batch may be there", "[append]") {
    AppendRig rig;
    std::stop_source stop;
    ListSource source(rig.clock, {"one\n", "two\n"});
    SECTION("in an outage, before anything was sent") {
        rig.faulty.on("Append Block").nth(2).with("no way, and told to stop", [&](const FaultCall&) {
            stop.request_stop();
            Error failed = make_error(ErrorCode::unavailable, "no way");
            failed.fault = TransportFault::connect;
            return Result<http::Response>(fail(std::move(failed)));
        });
        const auto report = rig.append(source, {}, {kNoDeadline, stop.get_token()});
        REQUIRE(!report);
        CHECK_FALSE(report.error().may_have_applied);
    }
    SECTION("after an answer was lost") {
        rig.faulty.on("Append Block").nth(2).with("lost, and told to stop", [&](const FaultCall& call) {
            CHECK(call.forward(call.request));
            stop.request_stop();
            return lost();
        });
        const auto report = rig.append(source, {}, {kNoDeadline, stop.get_token()});
        REQUIRE(!report);
        CHECK(report.error().may_have_applied);
    }
    CHECK(source.unconfirmed_bytes() == 4);
    CHECK(rig.lease_state() == "available");
}
