// Term after term, with pauses that cost no time.
#include <csignal>

#include "ops/lock/election.hpp"
#include "support/catch.hpp"
#include "unit/ops/lock/locked_run_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// The command fails at once, until the file "last" is there; then it waits for a signal.
struct Candidate : test::LockedRunRig {
    Candidate() : LockedRunRig("test -e \"$0/last\" && exec sleep 600; exit 3") {}
    LockedRunEnd run(bool once = false, int retries = 0) {
        LockedRun term = make();
        return run_election(term, once, retries);
    }
    // The term with this number is the last one: a signal comes in it.
    void stop_in_term(std::size_t number) {
        if (number == 1) (void)dir.write("last", "");
        on_end = [this, number] {
            if (outcomes.size() + 1 == number) (void)dir.write("last", "");
        };
        on_start = [this, number, before = on_start] {
            if (before) before();
            if (started.size() == number) signals.send(SIGTERM);
        };
    }
};

}  // namespace

TEST_CASE("a candidate competes again after each term, until a signal comes in one") {
    Candidate c;
    c.stop_in_term(4);
    const LockedRunEnd end = c.run();
    INFO(c.told);
    CHECK(end.kind == LockedRunEnd::Kind::signalled);
    CHECK(end.session.signal == SIGTERM);
    REQUIRE(c.started.size() == 4);
    for (std::size_t i = 1; i < c.started.size(); ++i) CHECK(*c.started[i].fence > *c.started[i - 1].fence);
    CHECK(c.told.find("the command ended with code 3 after 0 s; azlock is a candidate again in ") == 0);
    CHECK(std::count(c.told.begin(), c.told.end(), '\n') == 3);
    // Before the first term it may wait, too: for the second of a new lock's fence.
    const auto waits = c.clock.waits();
    CHECK(std::count_if(waits.begin(), waits.end(), [](auto span) { return span >= seconds(1); }) >= 3);
    CHECK(c.state() == "available");
}

TEST_CASE("after a long term the candidate competes again at once, but not if the term was lost") {
    Candidate c;
    c.on_start = [&] {
        if (c.started.size() == 1) c.clock.advance(seconds(10));
    };
    c.stop_in_term(2);
    SECTION("it ended by itself") {
        CHECK(c.run().kind == LockedRunEnd::Kind::signalled);
        CHECK(c.told == "the command ended with code 3 after 10 s; azlock is a candidate again at once\n");
    }
    SECTION("it was lost") {
        c.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
            c.broken_by_peer();
            c.taken_by_peer();
        });
        CHECK(c.run().kind == LockedRunEnd::Kind::signalled);
        CHECK(c.outcomes.front() == "lost");
        CHECK(c.told.find("the lock name was lost: somebody broke the lease or took it") == 0);
        CHECK(c.told.find("azlock is a candidate again in ") != std::string::npos);
    }
}

TEST_CASE("a signal between two terms ends the candidacy") {
    Candidate c;
    c.on_tell = [&](const std::string&) { c.signals.send(SIGINT); };
    const LockedRunEnd end = c.run();
    CHECK(end.kind == LockedRunEnd::Kind::refused);
    CHECK(end.error->code == ErrorCode::cancelled);
    CHECK(end.error->message == "stopped by a signal between two terms");
    CHECK(c.started.size() == 1);
    CHECK(c.state() == "available");
}

TEST_CASE("with --once there is one term, and the retries are counted") {
    Candidate c;
    SECTION("the command's end is the result") {
        const LockedRunEnd end = c.run(true);
        CHECK(end.kind == LockedRunEnd::Kind::ran);
        CHECK(end.session.wait_status == 3 << 8);
        CHECK(c.started.size() == 1);
        CHECK(c.told.empty());
    }
    SECTION("no answer") {
        c.faulty.on(test::any_request()).from(1).fail_before();
        const LockedRunEnd end = c.run(true, 0);
        CHECK(end.kind == LockedRunEnd::Kind::refused);
        CHECK(end.error->code == ErrorCode::unavailable);
        CHECK(c.started.empty());
    }
}

TEST_CASE("a candidate outlasts an outage, but not its deadline and not a refusal") {
    Candidate c;
    const BootTime begun = c.clock.now();
    SECTION("an outage of hours") {
        c.faulty.on(test::any_request(), "an outage").from(1).with("an outage", [&](const test::FaultCall& call) {
            if (c.clock.now() > begun + hours(2)) return call.forward(call.request);
            return Result<http::Response>(fail([] {
                Error error = make_error(ErrorCode::unavailable, "nobody listens");
                error.fault = TransportFault::connect;
                error.retryable = true;
                return error;
            }()));
        });
        c.on_tell = [&](const std::string& text) {
            if (text.find("the command ended") == 0) c.signals.send(SIGTERM);
        };
        CHECK(c.run().error->message == "stopped by a signal between two terms");
        CHECK(c.outcomes == std::vector<std::string>{"ran"});
        CHECK(c.clock.now() > begun + hours(2));
    }
    SECTION("the deadline") {
        c.deadline = c.clock.after(hours(1));
        c.faulty.on(test::any_request()).from(1).fail_before();
        const LockedRunEnd end = c.run();
        CHECK(end.kind == LockedRunEnd::Kind::refused);
        CHECK(end.error->code == ErrorCode::unavailable);
        CHECK(c.clock.now() <= begun + hours(1) + TermBackoff::kLongest);
        CHECK(c.started.empty());
    }
    SECTION("a refusal") {
        c.faulty.on(test::any_request()).from(1).return_status(403, "AuthorizationFailure");
        const LockedRunEnd end = c.run();
        CHECK(end.kind == LockedRunEnd::Kind::refused);
        CHECK(end.error->code == ErrorCode::auth);
        CHECK(c.told.empty());
    }
}

TEST_CASE("a command that cannot be executed ends the candidacy, and the lock is free") {
    test::LockedRunRig rig(std::vector<std::string>{"/no/such/command"});
    LockedRun term = rig.make();
    const LockedRunEnd end = run_election(term, false, 0);
    CHECK(end.kind == LockedRunEnd::Kind::not_started);
    CHECK(end.session.at_exec);
    CHECK(rig.told.empty());
    CHECK(rig.state() == "available");
}

TEST_CASE("a killed guard ends the candidacy: there is no other to run the next term") {
    Candidate c;
    (void)c.dir.write("last", "");
    c.on_start = [&] { REQUIRE(::kill(c.guards.front().pid(), SIGKILL) == 0); };
    const LockedRunEnd end = c.run();
    CHECK(end.kind == LockedRunEnd::Kind::lost);
    CHECK(end.session.why == "the guard was killed");
    CHECK(c.started.size() == 1);
    CHECK(c.told.find("candidate again") == std::string::npos);
}

}  // namespace azlock::ops
