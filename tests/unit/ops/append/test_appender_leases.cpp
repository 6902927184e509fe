// An appender and its lease: turns, an exclusive lease, that of the user, or none.
#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;
using ops::AppendLease;

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
