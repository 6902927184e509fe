// A batch that an earlier run noted, and then may have sent already.
#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;
using ops::AppendLease;

namespace {

// killed(): an earlier run sends "one" and is killed while "two" is on its way. Returns its mark for "two". `arrives`:
// "two" is carried out.
struct KilledRig : AppendRig {
    ops::AppendMark killed(bool arrives, const ops::AppenderOptions& options = {}) {
        std::stop_source stop;
        auto& rule = faulty.on("Append Block").nth(2);
        rule.with("killed", [&, arrives](const FaultCall& call) {
            if (arrives) CHECK(call.forward(call.request));
            stop.request_stop();
            Error error = make_error(ErrorCode::unavailable, "killed");
            error.may_have_applied = true;
            return Result<http::Response>(fail(std::move(error)));
        });
        // A killed process does not release its lease.
        faulty.on(lease_action("release"), "release").nth(1).fail_before();
        ListSource source(clock, {"one\n", "two\n"});
        CHECK(!append(source, options, {kNoDeadline, stop.get_token()}));
        faulty.clear();
        return source.marks.back();
    }
    Result<ops::AppendReport> replay(const ops::AppendMark& mark, const ops::AppenderOptions& options = {}) {
        ListSource source(clock, {"two\n", "three\n"});
        source.pending = mark;
        return append(source, options);
    }
};

}  // namespace

TEST_CASE("what an earlier run had on its way is sent again only if it is not there", "[append][pending]") {
    KilledRig rig;
    const bool arrives = GENERATE(true, false);
    const auto later = GENERATE(2s, 40s);  // the old turn still has its lease, or the lease has expired
    const ops::AppendMark mark = rig.killed(arrives);
    CHECK(mark.blob == "data");
    CHECK(mark.position == 4);
    rig.clock.advance(later);
    const auto report = rig.replay(mark);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
    CHECK(report->duplicates_avoided == (arrives ? 1 : 0));
    CHECK(rig.lease_state() == "available");
}

TEST_CASE("where another writer came after the old turn, only other bytes prove anything", "[append][pending]") {
    KilledRig rig;
    SECTION("other bytes: it was not carried out") {
        const auto mark = rig.killed(false);
        rig.clock.advance(40s);
        ListSource theirs(rig.clock, {"theirs\n"});
        REQUIRE(rig.append_as(rig.other, theirs));
        const auto report = rig.replay(mark);
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.content() == "one\ntheirs\ntwo\nthree\n");
    }
    SECTION("equal bytes prove nothing, unless the user says so") {
        const auto mark = rig.killed(true);
        rig.clock.advance(40s);
        ListSource theirs(rig.clock, {"theirs\n"});
        REQUIRE(rig.append_as(rig.other, theirs));
        const auto report = rig.replay(mark);
        REQUIRE(!report);
        CHECK(report.error().may_have_applied);
        CHECK(report.error().hint.find("--equal-is-ours") != std::string::npos);
        ops::AppenderOptions trusting;
        trusting.send.equal_is_ours = true;
        REQUIRE(rig.replay(mark, trusting));
        CHECK(rig.content() == "one\ntwo\ntheirs\nthree\n");
    }
    SECTION("the blob is gone, and with it what was on its way") {
        const auto mark = rig.killed(true);
        rig.service.erase("box", "data");
        REQUIRE(rig.replay(mark));
        CHECK(rig.content() == "two\nthree\n");
    }
}

TEST_CASE("what an earlier run had on its way to a part that is full is looked for there", "[append][pending]") {
    KilledRig rig;
    ops::AppenderOptions options;
    options.rotate = true;
    options.send.max_size = 8;
    const bool arrives = GENERATE(true, false);
    const auto mark = rig.killed(arrives, options);
    rig.clock.advance(40s);
    const auto report = rig.replay(mark, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\n");
    CHECK(rig.service.content("box", "data.0001") == "three\n");
}

TEST_CASE("without leases the earlier run's bytes are found by comparison", "[append][pending]") {
    KilledRig rig;
    const bool arrives = GENERATE(true, false);
    const auto options = with_lease(AppendLease::none);
    rig.faulty.on("Append Block").nth(2).with("killed", [&, arrives](const FaultCall& call) {
        if (arrives) CHECK(call.forward(call.request));
        return Result<http::Response>(fail(make_error(ErrorCode::cancelled, "killed")));
    });
    ListSource source(rig.clock, {"one\n", "two\n"});
    CHECK(!rig.append(source, options));
    rig.faulty.clear();
    CHECK(source.marks.back().lease_id.empty());
    const auto report = rig.replay(source.marks.back(), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
}
