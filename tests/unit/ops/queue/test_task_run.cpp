// One attempt of one task: what its command gets, and what becomes of the task.
#include <csignal>
#include <thread>

#include <unistd.h>

#include "ops/queue/job_signals.hpp"
#include "support/catch.hpp"
#include "unit/eventually.hpp"
#include "unit/ops/queue/work_rig.hpp"
#include "unit/stopped_guard.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using Kind = TaskEnd::Kind;
using test::lease_action;
using test::WorkRig;

}  // namespace

TEST_CASE("a task's command gets the content, the id, the attempt and the lease; then the task is gone") {
    WorkRig r("cat > \"$0/in\"; echo $AZLOCK_TASK_ID $AZLOCK_ATTEMPT $AZLOCK_LEASE_ID > \"$0/env\"");
    REQUIRE(r.put("a"));
    Claim claim = r.lease_task("a");
    const std::string lease = claim.held.lease_id;
    const TaskEnd end = r.run_task(std::move(claim));
    CHECK(end.kind == Kind::done);
    CHECK(end.attempt == 1);
    CHECK(end.exit_code == 0);
    CHECK(!end.fatal);
    CHECK(r.written("in") == "content of a");
    CHECK(r.written("env") == "a 1 " + lease + "\n");
    CHECK(!r.there("jobs/5-a"));
}

TEST_CASE("a failed task is given back and pauses, by the service's clock, longer after each failure") {
    test::FakeOptions ahead;
    ahead.wall_ahead = seconds(300);
    WorkRig r("exit 9", 1, ahead);
    REQUIRE(r.put("a"));
    std::chrono::nanoseconds before{0};
    for (std::uint64_t attempt = 1; attempt < 5; ++attempt) {
        const TaskEnd end = r.run_task("a");
        CHECK(end.kind == Kind::given_back);
        CHECK(end.exit_code == 9);
        const QueueTask task = r.task("a");
        CHECK(task.attempts == attempt);
        CHECK(task.failures() == attempt);
        CHECK(task.exit_code == 9);
        CHECK(task.why == "exit code 9");
        CHECK(task.pausing());
        const auto pause = *task.due - (r.clock.wall() + seconds(300));
        CHECK(pause > before);
        before = pause;
        CHECK(r.state("a") == "available");
    }
    CHECK(r.told.find("task a, attempt 1: exit code 9; it is given back, for the next attempt in ") == 0);
    CHECK(r.run_task("a").kind == Kind::dead);  // the fifth
    CHECK(r.there("jobs.dead/a"));
    CHECK(!r.there("jobs/5-a"));
}

TEST_CASE("exit code 75 delays a task and is no failure; 65 ends it at once") {
    SECTION("75") {
        WorkRig r("exit 75");
        r.plan.max_attempts = 1;
        REQUIRE(r.put("a"));
        CHECK(r.run_task("a").kind == Kind::given_back);
        CHECK(r.run_task("a").kind == Kind::given_back);
        const QueueTask task = r.task("a");
        CHECK(task.attempts == 2);
        CHECK(task.failures() == 0);
        CHECK(!task.pausing());
        CHECK(*task.due - r.clock.wall() >= seconds(19));
    }
    SECTION("65") {
        WorkRig r("echo the reason >&2; exit 65");
        REQUIRE(r.put("a"));
        CHECK(r.run_task("a").kind == Kind::dead);
        const auto letter = r.service.peek("box", "jobs.dead/a").value();
        const auto dead = read_dead_letter(r.queue.name, "jobs.dead/a", [&] {
            azure::BlobProperties out;
            out.metadata = letter.metadata;
            out.blob_type = "BlockBlob";
            return out;
        }());
        REQUIRE(dead);
        CHECK(dead->exit_code == 65);
        CHECK(dead->error_tail == "the reason\n");
        CHECK(letter.content == "content of a");
    }
}

TEST_CASE("a task whose workers died too often is buried and not run again") {
    WorkRig r("touch \"$0/ran\"");
    r.plan.max_attempts = 2;
    REQUIRE(r.put("a"));
    for (int i = 0; i < 2; ++i) {
        (void)r.claim("a");
        r.clock.advance(seconds(16));  // the worker is dead, and its lease ends
    }
    CHECK(r.run_task("a").kind == Kind::dead);
    CHECK(r.dir.names().empty());
    CHECK(r.there("jobs.dead/a"));
    CHECK(r.field("jobs.dead/a", "azl_task_why").find("in the last attempt the worker died or lost the task") == 0);
}

TEST_CASE("what azlock itself cannot do ends the worker and costs the task nothing") {
    SECTION("the command cannot be executed") {
        WorkRig r(std::vector<std::string>{"/no/such/command"});
        REQUIRE(r.put("a"));
        const TaskEnd end = r.run_task("a");
        CHECK(end.kind == Kind::given_back);
        REQUIRE(end.fatal);
        CHECK(end.fatal->error.message.find("cannot run '/no/such/command': ") == 0);
        CHECK(end.fatal->start_failure == os::StartFailure::not_found);
        CHECK(r.task("a").failures() == 0);
        CHECK(!r.task("a").due);
    }
    SECTION("the output cannot be stored") {
        WorkRig r("echo out");
        r.plan.output.emplace(OutputPlace{r.us.client(), {"nowhere", "results", {}}});
        REQUIRE(r.put("a"));
        const TaskEnd end = r.run_task("a");
        CHECK(end.kind == Kind::given_back);
        REQUIRE(end.fatal);
        CHECK(end.fatal->error.code == ErrorCode::not_found);
        CHECK(r.task("a").failures() == 0);
        CHECK(r.task("a").why.empty());
    }
    SECTION("the guard was killed") {
        WorkRig r("touch \"$0/begun\"; sleep 600");
        REQUIRE(r.put("a"));
        const pid_t guard = r.guards.front().pid();
        const std::jthread killer([&] {
            test::must(test::eventually([&] { return !r.dir.names().empty(); }));
            test::must(::kill(guard, SIGKILL) == 0);
        });
        const TaskEnd end = r.run_task("a");
        CHECK(end.kind == Kind::lost);
        REQUIRE(end.fatal);
        CHECK(end.fatal->error.lost);
        CHECK(r.state("a") == "available");
    }
}

TEST_CASE("a task has failed if its command has, also if azlock must end the guard while the command's orphans run") {
    WorkRig r("sleep 600 & echo $$ > \"$0/pid\"; exit 3");
    REQUIRE(r.put("a"));
    const os::Guard& guard = r.guards.front();
    std::jthread storm =
        test::stopping(guard, [&, pid = guard.pid()] { return test::end_is_told(pid, r.dir.file("pid")); });
    const TaskEnd end = r.run_task("a");
    storm = {};
    CHECK(end.kind == Kind::given_back);
    CHECK(end.exit_code == 3);
    CHECK(r.task("a").failures() == 1);
}

TEST_CASE("a command that fails after a signal to the worker is given back and is no failure") {
    WorkRig r("touch \"$0/begun\"; while :; do sleep 0.02; done");
    REQUIRE(r.put("a"));
    JobSignals job;
    std::jthread stopper([&] {
        test::must(test::eventually([&] { return ::access(r.dir.file("begun").c_str(), F_OK) == 0; }));
        job.send(SIGTERM);
    });
    const TaskEnd end = run_task(r.plan, r.lease_task("a"), r.guards.front(), job, r.tell, {});
    CHECK(end.kind == Kind::given_back);
    CHECK(end.exit_code == 143);
    CHECK(r.task("a").failures() == 0);
    CHECK(r.task("a").attempts == 1);
}

TEST_CASE("before its command has started a task is left as it was") {
    WorkRig r("touch \"$0/ran\"");
    REQUIRE(r.put("a"));
    SECTION("no answer") {
        Claim claim = r.lease_task("a");
        r.faulty.on("Set Blob Metadata").from(1).fail_before();
        const TaskEnd end = r.run_task(std::move(claim));
        CHECK(end.kind == Kind::not_started);
        CHECK(!end.fatal);
        REQUIRE(end.why);
        CHECK(end.why->code == ErrorCode::unavailable);
        CHECK(r.told.find(": not started: ") != std::string::npos);
    }
    SECTION("a refusal ends the worker, too") {
        r.faulty.on("Set Blob Metadata").from(1).return_status(403, "AuthorizationPermissionMismatch");
        const TaskEnd end = r.run_task("a");
        CHECK(end.kind == Kind::not_started);
        REQUIRE(end.fatal);
        CHECK(end.fatal->error.code == ErrorCode::auth);
        CHECK(r.state("a") == "available");
    }
    SECTION("a signal") {
        Claim claim = r.lease_task("a");
        r.signals.send(SIGTERM);
        const TaskEnd end = r.run_task(std::move(claim));
        CHECK(end.kind == Kind::not_started);
        CHECK(!end.fatal);
        CHECK(r.state("a") == "available");
    }
    SECTION("the lease is lost: it is left to whoever has it") {
        Claim claim = r.lease_task("a");
        REQUIRE(r.peer.client().break_lease(claim.task.blob, 0, {}, {}));
        REQUIRE(r.peer.client().acquire_lease(claim.task.blob, 60, {}, {}, {}));
        CHECK(r.run_task(std::move(claim)).kind == Kind::not_started);
        CHECK(r.state("a") == "leased");
    }
    CHECK(r.task("a").attempts == 0);
    CHECK(r.dir.names().empty());
}

TEST_CASE("a task whose lease could not be renewed before its command is left as it was: the attempt is no failure") {
    WorkRig r("touch \"$0/ran\"");
    REQUIRE(r.put("a"));
    Claim claim = r.lease_task("a");
    r.faulty.on("Get Blob").nth(1).delay(seconds(4));
    SECTION("no answer") {
        r.faulty.on(lease_action("renew")).from(1).fail_before();
    }
    SECTION("a signal") {
        r.faulty.on(lease_action("renew")).nth(1).with("a signal", [&](const test::FaultCall&) {
            r.signals.send(SIGTERM);
            return Result<http::Response>(fail(stopped_by_signal()));
        });
    }
    const TaskEnd end = r.run_task(std::move(claim));
    CHECK(end.kind == Kind::given_back);
    CHECK(!end.fatal);
    CHECK(r.task("a").attempts == 1);
    CHECK(r.task("a").failures() == 0);
    CHECK(r.state("a") == "available");
    CHECK(r.dir.names().empty());
}

TEST_CASE("a task whose metadata is nearly full keeps it while it runs: the worker's record is shortened") {
    WorkRig r("exit 9");
    r.plan.owner.pid = 7;
    r.plan.owner.run = std::string(900, 'r');
    REQUIRE(r.put("a"));
    const auto metadata = [&] { return r.service.peek("box", "jobs/5-a")->metadata; };
    azure::Metadata full = metadata();
    full["note"] = std::string(7100, 'n');
    REQUIRE(r.peer.client().set_metadata({"box", "jobs/5-a", {}}, full, {}, {}));
    std::map<std::string, std::string> during;
    r.faulty.on("Set Blob Metadata").nth(1).afterwards([&] { during = metadata(); });
    CHECK(r.run_task("a").kind == Kind::given_back);
    CHECK(during["note"].size() == 7100);
    CHECK(during["azl_pid"] == "7");
    CHECK(!during.contains("azl_run"));
    CHECK(metadata().at("note").size() == 7100);
}

TEST_CASE("a task that somebody took while its command ran is lost, and is not deleted") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    r.faulty.on("Delete Blob").nth(1).meanwhile([&] {
        const azure::BlobAddress blob{"box", "jobs/5-a", {}};
        REQUIRE(r.peer.client().break_lease(blob, 0, {}, {}));
        REQUIRE(r.peer.client().acquire_lease(blob, 60, {}, {}, {}));
    });
    CHECK(r.run_task("a").kind == Kind::lost);
    CHECK(r.there("jobs/5-a"));
}

TEST_CASE("a task whose delete has no answer until its lease ends has an unknown outcome") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    r.faulty.on("Delete Blob").from(1).fail_before();
    CHECK(r.run_task("a").kind == Kind::unknown);
    CHECK(r.there("jobs/5-a"));
}

}  // namespace azlock::ops
