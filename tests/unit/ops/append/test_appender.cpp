#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;
using ops::AppendLease;

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

TEST_CASE("a blob that somebody deletes right after its creation is created again", "[append]") {
    AppendRig rig;
    SECTION("before it is looked at") {
        rig.faulty.on("Get Blob Properties").nth(2).meanwhile([&] { rig.service.erase("box", "data"); });
    }
    SECTION("under the lease, which shows another version") {
        rig.faulty.on(lease_action("acquire")).nth(1).meanwhile([&] { rig.peer_appends("theirs"); });
        rig.faulty.on("Get Blob Properties").nth(3).meanwhile([&] { rig.service.erase("box", "data"); });
    }
    const auto report = rig.append({"one\n"});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\n");
    CHECK(rig.done("Put Blob") == 2);
}

TEST_CASE("a name with nothing but staged blocks is told as that, with the way out", "[append]") {
    FakeOptions fake;
    fake.staged_blocks_refuse_create = true;
    AppendRig rig(fake);
    rig.service.stage("box", "data", "QUFB", "zz");
    ops::AppenderOptions options;
    options.create = GENERATE(true, false);
    const auto report = rig.append({"one\n"}, options);
    REQUIRE(!report);
    INFO(why(report));
    CHECK(report.error().code == (options.create ? ErrorCode::precondition : ErrorCode::not_found));
    CHECK(report.error().message.find("only staged blocks have its name") != std::string::npos);
    CHECK(report.error().hint.find("azlock delete box/data --staged") != std::string::npos);
    CHECK(report.error().hint.find("--no-create") == std::string::npos);
}

TEST_CASE("a blob that is gone after each creation is not created without end", "[append]") {
    AppendRig rig;
    rig.faulty.on("Put Blob").from(1).afterwards([&] { rig.service.erase("box", "data"); });
    const auto report = rig.append({"one\n"});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::not_found);
    CHECK(rig.done("Put Blob") == 5);
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

TEST_CASE("without input, --if-match is held against the blob as well, also by --seal", "[append]") {
    AppendRig rig;
    rig.peer_creates();
    ops::AppenderOptions options;
    options.seal = GENERATE(true, false);
    options.send.lease = GENERATE(ops::AppendLease::turns, ops::AppendLease::none);
    options.send.if_match = '"' + rig.view().etag + '"';
    SECTION("it is that version") {
        const auto report = rig.append(std::vector<std::string>(), options);
        INFO(why(report));
        REQUIRE(report);
        CHECK((rig.done("Append Blob Seal") == 1) == options.seal);
    }
    SECTION("any version") {
        options.send.if_match = "*";
        CHECK(rig.append(std::vector<std::string>(), options));
    }
    SECTION("it becomes another one while the input is waited for") {
        ListSource source(rig.clock, {});
        source.before_batch = [&](std::size_t) { rig.peer_appends("theirs\n"); };
        const auto report = rig.append(source, options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(rig.done("Append Blob Seal") == 0);
    }
    SECTION("there is no blob") {
        rig.service.erase("box", "data");
        const auto report = rig.append(std::vector<std::string>(), options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::not_found);
    }
}

TEST_CASE("the ETag of a sealed blob is the one that it has after the seal", "[append]") {
    AppendRig rig;
    auto options = with_lease(ops::AppendLease::none);
    options.seal = true;
    rig.faulty.on("Append Blob Seal").nth(1).with("another ETag", [&](const FaultCall& call) {
        auto answer = call.forward(call.request);
        AppendRig::must(rig.peer.client().set_metadata(rig.blob, {}, {}, {}));
        return answer;
    });
    const auto report = rig.append({"one\n"}, options);
    REQUIRE(report);
    CHECK(report->sealed);
    CHECK(report->etag == '"' + rig.view().etag + '"');
}
