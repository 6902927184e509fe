// What a user asks of a lock or an election, as options of the run.
#include "ops/lock/lock_request.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;

OwnerRecord holder() {
    OwnerRecord out;
    out.owner = "deploy";
    out.host = "ci-7";
    out.command = "./run";
    return out;
}

}  // namespace

TEST_CASE("a time of 0 for a run is no limit") {
    LockRequest request;
    request.run.run_timeout = std::chrono::milliseconds(0);
    CHECK(!make_locked_run(request, holder()).value().run_timeout);
    request.run.run_timeout = std::chrono::milliseconds(1);
    CHECK(make_locked_run(request, holder()).value().run_timeout);
}

TEST_CASE("a lock's run has the times, the record and the command of its request") {
    LockRequest request;
    request.run.name = "nightly";
    request.run.on_lost = "page";
    request.ttl = seconds(20);
    request.kill_after = seconds(1);
    request.owner_fields = {"owner=team", "ticket=7"};
    const auto run = make_locked_run(request, holder()).value();
    CHECK(run.name == "nightly");
    CHECK(run.on_lost == "page");
    CHECK(run.timing.ttl == seconds(20));
    CHECK(run.timing.kill_after == seconds(1));
    CHECK(run.owner.owner == "team");
    CHECK(run.owner.host == "ci-7");
    CHECK(run.owner.extra.at("ticket") == "7");
    CHECK(run.owner.command == "./run");
    CHECK(run.command == "./run");
    CHECK(run.orphans == Orphans::wait);
    CHECK(run.quarantine);
    CHECK(run.reentrant);
    CHECK(run.gives_terminal);
    CHECK(make_locked_run({}, holder()).value().timing.ttl == kDefaultTtl);
}

TEST_CASE("a quarantine and an outer lock are heeded unless the request says no") {
    LockRequest request;
    request.no_quarantine = true;
    request.no_reentrant = true;
    const auto run = make_locked_run(request, holder()).value();
    CHECK(!run.quarantine);
    CHECK(!run.reentrant);
}

TEST_CASE("a record may name another command, but messages name the one that runs") {
    LockRequest request;
    request.owner_fields = {"command=deploy step"};
    const auto run = make_locked_run(request, holder()).value();
    CHECK(run.owner.command == "deploy step");
    CHECK(run.command == "./run");
}

TEST_CASE("a request that cannot be met is refused: times, words, fields") {
    LockRequest request;
    SECTION("a lease that is too short") {
        request.ttl = seconds(14);
    }
    SECTION("no time to renew") {
        request.kill_after = seconds(50);
    }
    SECTION("no such word") {
        request.orphans = "adopt";
    }
    SECTION("a field that azlock fills in") {
        request.owner_fields = {"fence=1"};
    }
    CHECK(make_locked_run(request, holder()).error().code == ErrorCode::usage);
    CHECK(make_candidate(request, holder(), {}).error().code == ErrorCode::usage);
}

TEST_CASE("what becomes of processes that the command leaves is one of three words") {
    CHECK(read_orphans("wait") == Orphans::wait);
    CHECK(read_orphans("kill") == Orphans::kill);
    CHECK(read_orphans("leave") == Orphans::leave);
    CHECK(read_orphans("").error().code == ErrorCode::usage);
}

TEST_CASE("a candidate leads only by its own lock, and never shares a term") {
    LockRequest request;
    SECTION("the options of a candidate") {
        const auto run = make_candidate(request, holder(), std::nullopt).value();
        CHECK(!run.reentrant);
        CHECK(!run.gives_terminal);
        CHECK(run.owner.owner == "deploy");
    }
    SECTION("a name of its own") {
        CHECK(make_candidate(request, holder(), "node-3").value().owner.owner == "node-3");
        CHECK(make_candidate(request, holder(), "").error().code == ErrorCode::usage);
    }
    SECTION("no process of one term runs on in the next") {
        request.orphans = "kill";
        CHECK(make_candidate(request, holder(), {}).value().orphans == Orphans::kill);
        request.orphans = "leave";
        CHECK(make_candidate(request, holder(), {}).error().code == ErrorCode::usage);
    }
}

TEST_CASE("the command is what follows --, or a text for the shell, but not both") {
    using Words = std::vector<std::string>;
    CHECK(command_words("", {"make", "-j2"}).value() == Words{"make", "-j2"});
    CHECK(command_words("", {}).value().empty());
    CHECK(command_words("a && b", {}).value() == Words{"/bin/sh", "-c", "a && b"});
    CHECK(command_words("a", {"make"}).error().code == ErrorCode::usage);
}

}  // namespace azlock::ops
