#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;
using ops::AppendLease;

namespace {

const std::string kTheirs = "bbbbbbbb-1111-2222-3333-444444444444";

// No answer: nobody knows whether the request was carried out.
Result<http::Response> lost() {
    Error error = make_error(ErrorCode::unavailable, "lost");
    error.fault = TransportFault::timeout;
    error.may_have_applied = true;
    return fail(std::move(error));
}

}  // namespace

TEST_CASE("batches are appended to a blob that is made for them, in order, and the lease is given back", "[append]") {
    AppendRig rig;
    ops::AppenderOptions options;
    options.content_type = "text/plain";
    const auto report = rig.append({"one\n", "two\n", "three"}, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree");
    CHECK(rig.lease_state() == "available");
    CHECK(report->bytes == 13);
    CHECK(report->lines == 2);
    CHECK(report->blocks == 3);
    CHECK(report->turns == 1);
    CHECK(report->first_offset == 0U);
    CHECK(report->etag == '"' + rig.view().etag + '"');
    CHECK(rig.sent("Put Blob").get("If-None-Match") == "*");
    CHECK(rig.sent("Put Blob").get("x-ms-blob-content-type") == "text/plain");
    for (std::size_t n = 1; n <= 3; ++n) {
        const http::Headers sent = rig.sent("Append Block", n);
        CHECK(sent.has("x-ms-content-crc64"));
        CHECK(sent.has("x-ms-lease-id"));
        CHECK(sent.has("x-ms-blob-condition-appendpos"));
    }
}

TEST_CASE("what is appended comes after what is there", "[append]") {
    AppendRig rig;
    rig.peer_creates();
    rig.peer_appends("before\n");
    const auto report = rig.append({"after\n"});
    REQUIRE(report);
    CHECK(rig.content() == "before\nafter\n");
    CHECK(report->first_offset == 7U);
}

TEST_CASE("an append whose answer is lost is in the blob once", "[append]") {
    const AppendLease lease = GENERATE(AppendLease::turns, AppendLease::exclusive, AppendLease::none);
    AppendRig rig;
    rig.faulty.on("Append Block").nth(2).drop_reply();
    const auto report = rig.append({"one\n", "two\n", "three\n"}, with_lease(lease));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(report->duplicates_avoided == 1);
    CHECK(rig.done("Append Block") == 3);
}

TEST_CASE("an append that never arrived is sent again", "[append]") {
    const AppendLease lease = GENERATE(AppendLease::turns, AppendLease::exclusive, AppendLease::none);
    AppendRig rig;
    rig.faulty.on("Append Block").nth(2, 2).lose_request();
    const auto report = rig.append({"one\n", "two\n", "three\n"}, with_lease(lease));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(report->duplicates_avoided == 0);
}

TEST_CASE("an append that arrives late, after it was sent again, is not there twice", "[append]") {
    const AppendLease lease = GENERATE(AppendLease::turns, AppendLease::none);
    AppendRig rig;
    rig.faulty.on("Append Block").nth(2).arrive_late(operation("Append Block"));
    const auto report = rig.append({"one\n", "two\n", "three\n"}, with_lease(lease));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
}

TEST_CASE("an append that arrives late, after it was looked for, is found by the next look", "[append]") {
    AppendRig rig;
    rig.faulty.on("Append Block").nth(2).arrive_late(operation("Get Blob Properties"));
    const auto report = rig.append({"one\n", "two\n", "three\n"});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(report->duplicates_avoided == 1);
}

TEST_CASE("a copy that the transport sent by itself is not there twice", "[append]") {
    AppendRig rig;
    rig.faulty.on("Append Block").nth(2).silent_replay();
    const auto report = rig.append({"one\n", "two\n", "three\n"});
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(report->duplicates_avoided == 1);
}

TEST_CASE("two writers append the same line at the same moment and one request is lost: two lines", "[append]") {
    AppendRig rig;
    const std::string line = "the same line\n";
    ListSource theirs(rig.clock, {line});
    // While our request is lost, the other writer is waiting for the lease that we hold.
    rig.faulty.on("Append Block").nth(1).with("lost while another waits", [&](const FaultCall&) {
        ops::AppenderOptions impatient;
        impatient.turn.wait = 100ms;
        const auto refused = rig.append_as(rig.other, theirs, impatient);
        CHECK(!refused);
        return lost();
    });
    const auto ours = rig.append({line});
    REQUIRE(ours);
    const auto late = rig.append_as(rig.other, theirs);
    REQUIRE(late);
    CHECK(rig.content() == line + line);
}

TEST_CASE("a writer whose lease ended while its answer was missing does not take another's equal line for its own",
          "[append]") {
    AppendRig rig;
    const std::string line = "the same line\n";
    // Our request is not carried out. We are paused; meanwhile another writer has its turn and writes the same line.
    rig.faulty.on("Append Block").nth(1).with("lost, and a pause", [&](const FaultCall&) {
        rig.clock.advance(20s);
        ListSource theirs(rig.clock, {line});
        const auto written = rig.append_as(rig.other, theirs);
        CHECK(written);
        return lost();
    });
    const auto ours = rig.append({line});
    REQUIRE(!ours);
    CHECK(ours.error().code == ErrorCode::unavailable);
    CHECK(ours.error().may_have_applied);
    CHECK(ours.error().message.find("14 bytes") != std::string::npos);
    CHECK(rig.content() == line);
}

TEST_CASE("other bytes where ours would be prove that ours are not there, and the writer goes on", "[append]") {
    AppendRig rig;
    rig.faulty.on("Append Block").nth(1).with("lost, and a pause", [&](const FaultCall&) {
        rig.clock.advance(20s);
        ListSource theirs(rig.clock, {"another line\n"});
        const auto written = rig.append_as(rig.other, theirs);
        CHECK(written);
        return lost();
    });
    const auto ours = rig.append({"our line\n"});
    INFO(why(ours));
    REQUIRE(ours);
    CHECK(rig.content() == "another line\nour line\n");
    CHECK(ours->turns == 2);
}

TEST_CASE("a writer that was paused does not append under a turn that is over", "[append]") {
    AppendRig rig;
    ListSource source(rig.clock, {"one\n", "two\n"});
    source.before_batch = [&](std::size_t number) {
        if (number != 1) return;
        rig.clock.advance(16s);
        ListSource theirs(rig.clock, {"theirs\n"});
        CHECK(rig.append_as(rig.other, theirs));
    };
    const auto report = rig.append(source);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntheirs\ntwo\n");
    CHECK(report->turns == 2);
}

TEST_CASE("a turn that was paused until another has the lease is lost, not shared", "[append]") {
    AppendRig rig;
    // We are paused between the look at the clock and the request, so the service refuses the request.
    rig.faulty.on("Append Block").nth(2).meanwhile([&] {
        rig.clock.advance(16s);
        rig.peer_leases(kTheirs, 15);
        rig.peer_appends("theirs\n", kTheirs);
    });
    const auto report = rig.append({"one\n", "two\n"});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntheirs\ntwo\n");
}

TEST_CASE("a lost answer while the lease is being broken is found out before it ends", "[append]") {
    AppendRig rig;
    const bool applied = GENERATE(true, false);
    auto& rule = rig.faulty.on("Append Block").nth(2);
    rule.with("broken meanwhile", [&, applied](const FaultCall& call) {
        if (applied) CHECK(call.forward(call.request));
        rig.peer_breaks(10);
        return lost();
    });
    const auto report = rig.append({"one\n", "two\n", "three\n"});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(report->duplicates_avoided == (applied ? 1 : 0));
}

TEST_CASE("a turn is given back when the input pauses, and lasts no longer than five seconds", "[append]") {
    AppendRig rig;
    SECTION("a pause") {
        ListSource source(rig.clock, {"one\n", "two\n"});
        source.pause_before(1, 2s);
        bool free = false;
        source.before_batch = [&](std::size_t number) {
            if (number == 1) free = rig.lease_state() == "available";
        };
        const auto report = rig.append(source);
        REQUIRE(report);
        CHECK(free);
        CHECK(report->turns == 2);
    }
    SECTION("data without a pause") {
        ListSource source(rig.clock, std::vector<std::string>(60, "line\n"));
        source.before_batch = [&](std::size_t) { rig.clock.advance(200ms); };
        const auto report = rig.append(source);
        REQUIRE(report);
        CHECK(report->turns == 3);
        CHECK(rig.content()->size() == 300);
    }
}

TEST_CASE("after a turn nobody else used, the position is known without a look", "[append]") {
    AppendRig rig;
    ListSource source(rig.clock, {"one\n", "two\n", "three\n"});
    source.pause_before(1, 2s);
    source.pause_before(2, 2s);
    REQUIRE(rig.append(source));
    CHECK(rig.done("Get Blob Properties") == 1);  // in the first turn after the blob was made; the one before got 404
    CHECK(rig.content() == "one\ntwo\nthree\n");
}

TEST_CASE("an exclusive writer keeps the lease while nothing comes, and another is refused", "[append]") {
    AppendRig rig;
    ListSource source(rig.clock, {"one\n", "two\n"});
    source.pause_before(1, 60s);
    Error refused;
    source.before_batch = [&](std::size_t number) {
        if (number != 1) return;
        ListSource theirs(rig.clock, {"theirs\n"});
        ops::AppenderOptions at_once;
        at_once.turn.wait = 0s;
        const auto outcome = rig.append_as(rig.other, theirs, at_once);
        REQUIRE(!outcome);
        refused = outcome.error();
    };
    const auto report = rig.append(source, with_lease(AppendLease::exclusive));
    INFO(why(report));
    REQUIRE(report);
    CHECK(refused.code == ErrorCode::busy);
    CHECK(rig.content() == "one\ntwo\n");
    CHECK(report->turns == 1);
    CHECK(rig.lease_state() == "available");
}

TEST_CASE("a writer waits for the lease that somebody else has", "[append]") {
    AppendRig rig;
    rig.peer_creates();
    rig.peer_leases(kTheirs, 60);
    std::size_t told = 0;
    ops::AppenderOptions options;
    options.turn.waiting = [&](const ops::LeaseView&) { ++told; };
    const auto report = rig.append({"one\n"}, options);
    REQUIRE(report);
    CHECK(rig.content() == "one\n");
    CHECK(told == 1);
}

TEST_CASE("without a lease, a writer that knows nothing of ours is appended after", "[append]") {
    AppendRig rig;
    ListSource source(rig.clock, {"one\n", "two\n"});
    source.before_batch = [&](std::size_t number) {
        if (number == 1) rig.peer_appends("theirs\n");
    };
    const auto report = rig.append(source, with_lease(AppendLease::none));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntheirs\ntwo\n");
    CHECK(report->turns == 0);
}

TEST_CASE("without a lease, a lost append behind which somebody else appended is found by its bytes", "[append]") {
    AppendRig rig;
    const bool applied = GENERATE(true, false);
    rig.faulty.on("Append Block").nth(2).with("lost", [&, applied](const FaultCall& call) {
        if (applied) CHECK(call.forward(call.request));
        rig.peer_appends("theirs\n");
        return lost();
    });
    const auto report = rig.append({"one\n", "two\n"}, with_lease(AppendLease::none));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == (applied ? "one\ntwo\ntheirs\n" : "one\ntheirs\ntwo\n"));
}

TEST_CASE("under the user's own lease nothing is acquired and nothing released", "[append]") {
    AppendRig rig;
    rig.peer_creates();
    rig.peer_leases(kTheirs, 60);
    auto options = with_lease(AppendLease::given);
    options.send.lease_id = kTheirs;
    rig.faulty.on("Append Block").nth(1).drop_reply();
    const auto report = rig.append({"one\n", "two\n"}, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\n");
    CHECK(rig.lease_state() == "leased");
    CHECK(rig.faulty.requests("Lease Blob") == 0);
}

TEST_CASE("a stray page of a proxy is weather once the service has answered", "[append]") {
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
        const auto refused = first.append({"one"});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::unavailable);
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

TEST_CASE("what cannot be appended to is refused before anything is sent", "[append]") {
    AppendRig rig;
    SECTION("a block blob") {
        rig.service.put("box", "data", "x");
        const auto report = rig.append({"one\n"});
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(report.error().message.find("block blob") != std::string::npos);
        CHECK(rig.content() == "x");
    }
    SECTION("a sealed blob") {
        rig.peer_creates();
        AppendRig::must(rig.peer.client().seal(rig.blob, {}, {}, {}));
        const auto report = rig.append({"one\n"});
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(report.error().message.find("sealed") != std::string::npos);
    }
    SECTION("a missing blob that shall not be made") {
        ops::AppenderOptions options;
        options.create = false;
        const auto report = rig.append({"one\n"}, options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::not_found);
        CHECK(rig.faulty.requests("Put Blob") == 0);
    }
    SECTION("a missing container") {
        rig.blob.container = "nosuchbox";
        const auto report = rig.append({"one\n"});
        REQUIRE(!report);
        CHECK(report.error().service_code == "ContainerNotFound");
    }
    CHECK(rig.faulty.requests("Append Block") == 0);
    CHECK(rig.faulty.requests("Lease Blob") == 0);
}

TEST_CASE("the first append, and only the first, is on the version that the user named", "[append]") {
    AppendRig rig;
    rig.peer_creates();
    auto options = ops::AppenderOptions{};
    options.send.if_match = '"' + rig.view().etag + '"';
    SECTION("it is that version") {
        const auto report = rig.append({"one\n", "two\n"}, options);
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.content() == "one\ntwo\n");
        CHECK(rig.sent("Append Block", 1).has("If-Match"));
        CHECK_FALSE(rig.sent("Append Block", 2).has("If-Match"));
    }
    SECTION("and the answer is lost") {
        rig.faulty.on("Append Block").nth(1).drop_reply();
        REQUIRE(rig.append({"one\n", "two\n"}, options));
        CHECK(rig.content() == "one\ntwo\n");
    }
    SECTION("it is another one") {
        rig.peer_appends("theirs\n");
        const auto report = rig.append({"one\n"}, options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(rig.content() == "theirs\n");
    }
}

TEST_CASE("a blob that is deleted while lines come is made again", "[append]") {
    AppendRig rig;
    ListSource source(rig.clock, {"one\n", "two\n"});
    source.before_batch = [&](std::size_t number) {
        if (number == 1) rig.service.erase("box", "data");
    };
    const auto report = rig.append(source);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "two\n");
}

TEST_CASE("a writer with --seal seals at the end, and only then", "[append]") {
    AppendRig rig;
    ops::AppenderOptions options;
    options.seal = true;
    const auto report = rig.append({"one\n"}, options);
    REQUIRE(report);
    CHECK(report->sealed);
    const auto again = rig.append({"two\n"});
    REQUIRE(!again);
    CHECK(again.error().message.find("sealed") != std::string::npos);
    CHECK(rig.content() == "one\n");
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
