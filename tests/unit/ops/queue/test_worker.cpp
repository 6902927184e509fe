// A worker: which tasks it begins, when it waits, and how it ends.
#include <algorithm>
#include <csignal>
#include <thread>

#include <sys/resource.h>

#include "ops/queue/operator.hpp"
#include "ops/queue/remains.hpp"
#include "ops/queue/scan.hpp"
#include "support/catch.hpp"
#include "unit/eventually.hpp"
#include "unit/ops/queue/work_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::lease_action;
using test::WorkRig;

WorkTotals totals(std::uint64_t done, std::uint64_t given_back, std::uint64_t dead, std::uint64_t lost = 0) {
    return {done, given_back, dead, lost};
}

}  // namespace

TEST_CASE("several jobs run all tasks, each once") {
    WorkRig r("cat >> \"$0/$AZLOCK_TASK_ID\"", 3);
    for (const char* id : {"a", "b", "c", "d", "e", "f", "g"}) REQUIRE(r.put(id));
    const WorkResult result = r.work();
    CHECK(result.outcome);
    CHECK(result.totals == totals(7, 0, 0));
    CHECK(!result.some_failed);
    CHECK(r.dir.names().size() == 7);
    CHECK(r.written("g") == "content of g");
    CHECK(r.ends.size() == 7);
}

TEST_CASE("a worker of N tasks begins no further one") {
    WorkRig r("true");
    r.limits.drain = false;
    r.limits.tasks = 2;
    for (const char* id : {"a", "b", "c"}) REQUIRE(r.put(id));
    CHECK(r.work().totals == totals(2, 0, 0));
    CHECK(r.there("jobs/5-c"));
}

TEST_CASE("a task that could not be started is none of the N, and too many of them end the worker with their error") {
    WorkRig r("true");
    r.limits.drain = false;
    r.limits.tasks = 1;
    REQUIRE(r.put("a"));
    SECTION("now and then") {
        r.faulty.on("Set Blob Metadata").nth(1, 12).return_status(503, "ServerBusy");
        const WorkResult result = r.work();
        CHECK(result.outcome);
        CHECK(result.totals.done == 1);
        CHECK(result.totals.given_back > 0);
    }
    SECTION("always") {
        const bool claim = GENERATE(false, true);
        r.faulty.on(claim ? "Lease Blob" : "Set Blob Metadata").from(1).fail_before();
        const WorkResult result = r.work();
        REQUIRE(result.failure);
        CHECK(result.failure->error.code == ErrorCode::unavailable);
        CHECK(result.totals == totals(0, claim ? 0 : 8, 0));
    }
}

TEST_CASE("a worker that drains the queue waits for pauses, for other workers and, if asked, for delayed tasks") {
    SECTION("a failed task is tried again until it dies") {
        WorkRig r("exit 9");
        r.plan.max_attempts = 3;
        REQUIRE(r.put("a"));
        const WorkResult result = r.work();
        CHECK(result.totals == totals(0, 2, 1));
        CHECK(result.some_failed);
        CHECK(result.outcome);
    }
    SECTION("another worker's task comes back when its lease ends") {
        WorkRig r("true");
        REQUIRE(r.put("a"));
        (void)r.claim("a");
        CHECK(r.work().totals == totals(1, 0, 0));
    }
    SECTION("another worker's task, not waited for") {
        WorkRig r("true");
        r.limits.no_wait = true;
        REQUIRE(r.put("a"));
        (void)r.claim("a");
        CHECK(r.work().totals == totals(0, 0, 0));
    }
    SECTION("a delayed task") {
        WorkRig r("true");
        REQUIRE(r.put("a", 5, r.clock.wall() + minutes(30)));
        CHECK(r.work().totals == totals(0, 0, 0));
        r.limits.delayed = true;
        CHECK(r.work().totals == totals(1, 0, 0));
    }
}

TEST_CASE("an idle worker looks again until its deadline, at most --poll apart") {
    WorkRig r("true");
    r.limits.drain = false;
    r.deadline = r.clock.after(minutes(5));
    const WorkResult result = r.work();
    REQUIRE(!result.outcome);
    CHECK(result.outcome.error().code == ErrorCode::unavailable);
    CHECK(r.clock.now() == r.deadline);
    const auto waits = r.clock.waits();
    CHECK(*std::max_element(waits.begin(), waits.end()) <= r.limits.poll);
    CHECK(r.service.requests("List Blobs") >= 30);
}

TEST_CASE("a worker without an answer goes on, unless it is to drain the queue") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    SECTION("at the look") {
        r.limits.drain = false;
        r.limits.tasks = 1;
        r.faulty.on("List Blobs").nth(1, 20).fail_before();
        CHECK(r.work().totals == totals(1, 0, 0));
        CHECK(r.told.find("cannot look at the queue: ") == 0);
    }
    SECTION("at the look, with --drain") {
        r.faulty.on("List Blobs").from(1).fail_before();
        const WorkResult result = r.work();
        REQUIRE(result.failure);
        CHECK(result.failure->error.code == ErrorCode::unavailable);
    }
    SECTION("at the claim") {
        r.faulty.on(lease_action("acquire")).nth(1, 3).fail_before();
        CHECK(r.work().totals == totals(1, 0, 0));
        CHECK(r.told.find("cannot claim a task: ") == 0);
    }
}

TEST_CASE("a refused request ends the worker, and no task is touched") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    SECTION("at the look") {
        r.faulty.on("List Blobs").from(1).return_status(403, "AuthorizationPermissionMismatch");
    }
    SECTION("at the claim") {
        r.faulty.on(lease_action("acquire")).from(1).return_status(403, "AuthorizationPermissionMismatch");
    }
    const WorkResult result = r.work();
    REQUIRE(result.failure);
    CHECK(result.failure->error.code == ErrorCode::auth);
    CHECK(result.totals == totals(0, 0, 0));
    CHECK(r.task("a").attempts == 0);
}

TEST_CASE("a task that the service does not hand out stays as it is, is told once, and holds up no other task") {
    WorkRig r("true");
    r.deadline = r.clock.after(minutes(10));
    REQUIRE(r.put("b"));
    SECTION("in the archive tier") {
        azure::PutBlobOptions options;
        options.access_tier = "Archive";
        REQUIRE(r.peer.client().put_blob({"box", "jobs/5-a", {}}, http::make_body("content"), options, {}));
    }
    SECTION("the lease is refused") {
        REQUIRE(r.put("a"));
        r.faulty.on(lease_action("acquire")).nth(1).return_status(409, "BlobArchived");
    }
    SECTION("the attempt is refused") {
        REQUIRE(r.put("a"));
        r.faulty.on("Set Blob Metadata").nth(1).return_status(409, "BlobImmutableDueToPolicy");
    }
    const WorkResult result = r.work();
    INFO(r.told);
    CHECK(result.outcome);
    CHECK(result.some_failed);
    CHECK(result.totals == WorkTotals{1, 0, 0, 0, 1});
    CHECK(r.ends == std::vector<std::string>{"a refused", "b done"});
    CHECK(r.state("a") == "available");
    CHECK(r.task("a").attempts == 0);
}

TEST_CASE("a task that the service refuses to delete is told once, never run again, and holds up no other task") {
    WorkRig r("cat > /dev/null; echo $AZLOCK_TASK_ID >> \"$0/ran\"");
    r.deadline = r.clock.after(minutes(10));
    REQUIRE(r.put("a"));
    REQUIRE(r.put("b"));
    const auto delete_of_a = [](const http::Request& request) {
        return test::operation("Delete Blob")(request) && request.path.ends_with("/jobs/5-a");
    };
    r.faulty.on(delete_of_a).from(1).return_status(409, "SnapshotsPresent");
    const WorkResult first = r.work();
    INFO(r.told);
    CHECK(first.outcome);
    CHECK(first.some_failed);
    CHECK(first.totals == WorkTotals{1, 0, 0, 0, 1});
    CHECK(r.ends == std::vector<std::string>{"a undeleted", "b done"});
    CHECK(r.state("a") == "available");
    CHECK(r.written("ran") == "a\nb\n");

    r.ends.clear();
    REQUIRE(r.put("b"));
    r.limits.tasks = 1;
    const WorkResult second = r.work();
    CHECK(second.outcome);
    CHECK(second.totals == WorkTotals{1, 0, 0, 0, 1});
    CHECK(r.ends == std::vector<std::string>{"a undeleted", "b done"});
    CHECK(r.written("ran") == "a\nb\nb\n");

    r.faulty.clear();
    r.limits.tasks.reset();
    CHECK_FALSE(r.work().some_failed);
    CHECK_FALSE(r.there("jobs/5-a"));
}

TEST_CASE("what the service refuses to delete of a dead letter's task does not end the worker") {
    WorkRig r("exit 65");
    r.deadline = r.clock.after(minutes(10));
    REQUIRE(r.put("a"));
    REQUIRE(r.put("b"));
    r.faulty.on("Delete Blob").from(1).return_status(409, "BlobImmutableDueToPolicy");
    const WorkResult result = r.work();
    INFO(r.told);
    CHECK(result.outcome);
    CHECK(result.totals == WorkTotals{0, 0, 2, 0, 2});
    CHECK(r.there("jobs.dead/a"));
    CHECK(r.there("jobs.dead/b"));
    CHECK(list_tasks(r.peers_queue, {}, {}).value().empty());
}

TEST_CASE("a task dies also if what is left of its first dead letter may not be deleted") {
    WorkRig r("exit 65");
    REQUIRE(r.put("a"));
    CHECK(r.work().totals == totals(0, 0, 1));
    const auto delete_of_letter = [](const http::Request& request) {
        return test::operation("Delete Blob")(request) && request.path.ends_with("/jobs.dead/a");
    };
    r.faulty.on(delete_of_letter).from(1).return_status(409, "SnapshotsPresent");
    ChangeOptions retry;
    retry.ids = {"a"};
    const ChangeReport ignored{[](const QueueTask&) { return Status(); }, [](const Error&) {}};
    CHECK(change_tasks(r.queue, TaskChange::retry, retry, {}, ignored).error().code == ErrorCode::precondition);
    const QueueTask revived = r.task("a");
    const WorkResult result = r.work();
    CHECK(result.outcome);
    CHECK(result.totals == totals(0, 0, 1));
    const std::string letter = "jobs.dead/a." + revived.key;
    CHECK(r.there(letter));
    CHECK_FALSE(r.there("jobs/5-a"));
    // A worker that was killed before the letter counted: whoever finishes the burial finds the letter.
    azure::Metadata arriving = r.service.peek("box", letter)->metadata;
    arriving["azl_task_moving"] = "arriving";
    REQUIRE(r.peer.client().set_metadata({"box", letter, {}}, arriving, {}, {}));
    CHECK(find_on_other_side(r.peers_queue, revived, {}).value().value().moving == Moving::arriving);
}

TEST_CASE("a worker that cannot write its temporary files ends with the limit's name before it takes a task") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
    const WorkResult result = r.work();
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, handler);
    REQUIRE(!result.outcome);
    CHECK(result.outcome.error().code == ErrorCode::io);
    CHECK(result.outcome.error().hint.find("ulimit -f") != std::string::npos);
    CHECK(r.task("a").attempts == 0);
    CHECK(r.faulty.requests("Lease Blob") == 0);
}

TEST_CASE("a task that was refused is run when its tier has changed") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    QueueTask task = r.listed("a");
    QueueScanner scanner(r.queue);
    scanner.leave_out(task);
    CHECK(!scanner.next({}).value());
    task.tier = "Archive";
    QueueScanner other(r.queue);
    other.leave_out(task);
    CHECK(other.next({}).value());
}

TEST_CASE("a worker that gets no more memory ends with that, and does not crash") {
    WorkRig r("true", 2);
    REQUIRE(r.put("a"));
    r.faulty.on(lease_action("acquire")).from(1).fail_before();
    r.tell = [](const std::string&) { throw std::bad_alloc(); };
    const WorkResult result = r.work();
    REQUIRE(!result.outcome);
    CHECK(result.outcome.error().code == ErrorCode::io);
    CHECK(result.outcome.error().message.find("ulimit -v") != std::string::npos);
}

TEST_CASE("outputs that cannot be stored end the worker before the first claim") {
    WorkRig r("true");
    REQUIRE(r.put("a"));
    r.plan.output.emplace(OutputPlace{r.us.client(), {"nowhere", "results", {}}});
    const WorkResult result = r.work();
    REQUIRE(result.failure);
    CHECK(result.failure->error.code == ErrorCode::not_found);
    CHECK(result.failure->error.message.find("outputs cannot be stored in nowhere/results: ") == 0);
    CHECK(r.service.requests("Lease Blob") == 0);
}

TEST_CASE("a command that cannot be executed ends the worker, and the other tasks stay") {
    WorkRig r(std::vector<std::string>{"/no/such/command"});
    REQUIRE(r.put("a"));
    REQUIRE(r.put("b"));
    const WorkResult result = r.work();
    REQUIRE(result.failure);
    CHECK(result.failure->start_failure == os::StartFailure::not_found);
    CHECK(result.totals == totals(0, 1, 0));
    CHECK(r.task("a").failures() == 0);
    CHECK(r.task("b").attempts == 0);
}

TEST_CASE("a signal before the start: nothing is looked at") {
    WorkRig r("true");
    r.signals.send(SIGTERM);
    const WorkResult result = r.work();
    CHECK(result.outcome.error().code == ErrorCode::cancelled);
    CHECK(r.faulty.requests() == 0);
}

TEST_CASE("after a signal running tasks may end in their time, and a second signal ends them at once") {
    WorkRig r("touch \"$0/$AZLOCK_TASK_ID\"; until test -e \"$0/go\"; do sleep 0.02; done", 2);
    r.limits.grace = minutes(10);
    for (const char* id : {"a", "b", "c"}) REQUIRE(r.put(id));
    const bool twice = GENERATE(false, true);
    std::jthread stopper([&] {
        test::must(test::eventually([&] { return r.dir.names().size() == 2; }));
        r.signals.send(SIGINT);
        test::must(test::eventually([&] {
            const std::lock_guard lock(r.mutex);
            return r.told.find("stopping: running tasks have 10 min to end") != std::string::npos;
        }));
        if (twice) {
            r.signals.send(SIGTERM);
        } else {
            (void)r.dir.write("go", "");
        }
    });
    const WorkResult result = r.work();
    CHECK(result.signal == SIGINT);
    CHECK(result.outcome.error().code == ErrorCode::cancelled);
    CHECK(result.totals == (twice ? totals(0, 2, 0) : totals(2, 0, 0)));
    CHECK(!r.dir.names().empty());
    CHECK(r.task("c").attempts == 0);
    if (twice) CHECK(r.task("a").failures() == 0);
}

}  // namespace azlock::ops
