// How the lease of a run begins and ends if the service does not answer, is busy, or says that the lease is over.
#include <csignal>
#include <set>

#include "support/catch.hpp"
#include "unit/ops/lock/locked_run_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using Kind = LockedRunEnd::Kind;
using test::lease_action;
using test::LockedRunRig;

}  // namespace

TEST_CASE("a service that is busy at the end is asked again as long as the lease lasts") {
    LockedRunRig rig;
    SECTION("for the release") {
        rig.faulty.on(lease_action("release")).nth(1).return_status(503, "ServerBusy", seconds(8));
    }
    SECTION("for the record") {
        rig.faulty.on("Set Blob Metadata").nth(2).return_status(503, "ServerBusy", seconds(8));
    }
    SECTION("not longer") {
        rig.faulty.on(lease_action("release")).from(1).return_status(503, "ServerBusy", seconds(8));
        const BootTime begun = rig.clock.now();
        CHECK(rig.run().kind == Kind::ran);
        CHECK(rig.clock.now() - begun > seconds(40));
        CHECK(rig.clock.now() - begun <= seconds(60));
        CHECK(rig.told.find("could not release the lock: ") != std::string::npos);
        return;
    }
    CHECK(rig.run().kind == Kind::ran);
    CHECK(rig.told.find("cannot release the lock yet: ") == 0);
    CHECK(rig.told.find("could not") == std::string::npos);
    CHECK(rig.state() == "available");
    CHECK(!command_may_run(rig.service.peek("box", "name")->metadata));
}

TEST_CASE("a signal ends the wait for a service that is busy at the end") {
    LockedRunRig rig;
    rig.faulty.on(lease_action("release")).nth(1).return_status(503, "ServerBusy", seconds(8));
    rig.on_tell = [&](const std::string& text) {
        if (text.starts_with("cannot release the lock yet")) rig.signals.send(SIGTERM);
    };
    CHECK(rig.run().kind == Kind::ran);
    CHECK(rig.state() == "leased");
}

TEST_CASE("a lease that was broken before the command's end was not held to the end") {
    LockedRunRig rig("exit 0");
    rig.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] { rig.broken_by_peer(); });
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::lost);
    CHECK(end.session.wait_status == 0);
    CHECK(rig.outcomes == std::vector<std::string>{"lost"});
    CHECK(!command_may_run(rig.service.peek("box", "name")->metadata));  // nobody waits for it
}

TEST_CASE("the command's end is written in a second request if the first one fails; else the user hears who waits") {
    LockedRunRig rig;
    const bool second_fails = GENERATE(false, true);
    auto& mark = rig.faulty.on("Set Blob Metadata").nth(2, second_fails ? 2 : 1);
    Kind kind = Kind::ran;
    SECTION("without an answer") {
        mark.stall(false);
    }
    SECTION("with a refusal that says nothing about the lease") {
        mark.return_status(403, "AuthorizationFailure");
    }
    SECTION("and then finds that the lease was broken") {
        rig.on_start = [&] { rig.broken_by_peer(); };
        mark.stall(false);
        kind = Kind::lost;
    }
    const BootTime begun = rig.clock.now();
    CHECK(rig.run().kind == kind);
    CHECK(rig.clock.now() - begun <= seconds(5));
    CHECK(rig.told.empty() == !second_fails);
    if (second_fails) CHECK(rig.told.find("could not write that the command has ended: ") == 0);
    CHECK((rig.told.find("; the next holder of the lock waits for 1 min") != std::string::npos) == second_fails);
    CHECK(rig.state() == "available");
    CHECK(command_may_run(rig.service.peek("box", "name")->metadata) == second_fails);
}

TEST_CASE("with -n azlock asks again if no answer comes, for ten seconds at most") {
    LockedRunRig rig;
    WaitPlan never;
    never.never = true;
    REQUIRE(rig.run(never).kind == Kind::ran);
    const auto& acquire = lease_action("acquire");
    std::set<std::string> ids;
    const auto proposed = [&](const http::Request& request) {
        if (acquire(request)) ids.emplace(request.headers.get("x-ms-proposed-lease-id"));
        return acquire(request);
    };
    const BootTime begun = rig.clock.now();
    std::size_t most = 1;
    SECTION("a lost answer") {
        rig.faulty.on(proposed, "acquire").nth(1).drop_reply();
    }
    SECTION("a busy service") {
        rig.faulty.on(proposed, "acquire").nth(1).return_status(503, "ServerBusy");
        most = 2;  // the service has said that it did not carry out the first one
    }
    SECTION("no answer, but carried out") {
        rig.faulty.on(proposed, "acquire").nth(1).stall(true);
    }
    SECTION("no answer at all") {
        rig.faulty.on(proposed, "acquire").from(1).stall(true);
        rig.faulty.on(lease_action("renew")).from(1).stall(true);  // it would show that the lease is ours
        CHECK(rig.run(never).error->code == ErrorCode::unavailable);
        CHECK(rig.clock.now() - begun <= seconds(10));
        CHECK(ids.size() == 1);
        CHECK(rig.state() == "available");
        return;
    }
    CHECK(rig.run(never).kind == Kind::ran);
    CAPTURE(ids);
    CHECK(ids.size() <= most);
    CHECK(rig.clock.now() - begun <= seconds(10));
    CHECK(rig.state() == "available");
}

TEST_CASE("a record that stalls: the lease is given back, or the user hears how long it lasts") {
    LockedRunRig rig;
    rig.options.timing = make_lock_timing(seconds(60), {}).value();
    WaitPlan never;
    never.never = true;
    const bool releases = GENERATE(true, false);
    rig.faulty.on("Set Blob Metadata").from(1).stall(false);
    if (!releases) rig.faulty.on(lease_action("release")).from(1).stall(false);
    const BootTime begun = rig.clock.now();
    CHECK(rig.run(never).error->code == ErrorCode::unavailable);
    CHECK(rig.clock.now() - begun <= seconds(10));
    CHECK(rig.state() == (releases ? "available" : "leased"));
    CHECK((rig.told.find("could not release the lock: ") == std::string::npos) == releases);
    if (!releases) CHECK(rig.told.find("; if it is still ours, it ends by itself within 50") != std::string::npos);
}

}  // namespace azlock::ops
