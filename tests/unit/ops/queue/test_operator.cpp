// Repairs of a queue by hand: retry, kick and delete of one task and of several.
#include "ops/queue/operator.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::QueueRig;
using test::why;

struct OperatorRig : QueueRig {
    Status change(TaskChange what, ChangeOptions options, const azure::Call& call = {}) {
        changed.clear();
        failures.clear();
        return change_tasks(queue, what, options, call,
                            {[&](const QueueTask& task) -> Status {
                                 changed += task.id;
                                 return {};
                             },
                             [&](const Error& error) { failures.push_back(error); }});
    }
    void put_dead(const std::string& id) {
        REQUIRE(put(id, 2));
        Claim held = claim(id);
        held.task.died = clock.wall();
        held.task.why = "exit code 1";
        REQUIRE(bury_task(queue, held) == Finished::done);
    }
    void put_delayed(const std::string& id) { REQUIRE(put(id, kDefaultPriority, clock.wall() + seconds(600))); }
    TaskState state(const std::string& id) { return state_of(find_task(peers_queue, id, {}).value(), clock.wall()); }

    std::string changed;  // the ids, one after the other
    std::vector<Error> failures;
};

ChangeOptions ids(std::vector<std::string> ids) {
    ChangeOptions out;
    out.ids = std::move(ids);
    return out;
}

ChangeOptions all_dead() {
    ChangeOptions out;
    out.dead = true;
    return out;
}
ChangeOptions all(bool dead = false) {
    ChangeOptions out;
    out.all = true;
    out.dead = dead;
    return out;
}

}  // namespace

TEST_CASE("a dead letter becomes a task again, and its attempts go on counting without being failures") {
    OperatorRig r;
    r.put_dead("a");
    const auto done = r.change(TaskChange::retry, ids({"a"}));
    INFO(why(done));
    REQUIRE(done);
    CHECK(r.changed == "a");
    CHECK_FALSE(r.there("jobs.dead/a"));
    CHECK(r.service.content("box", "jobs/2-a") == "content of a");
    const auto task = find_task(r.peers_queue, "a", {}).value();
    CHECK(task.attempts == 1);
    CHECK(task.failures() == 0);
    CHECK(task.deferred == 0);
    CHECK(task.why.empty());
    CHECK_FALSE(task.died);
}

TEST_CASE("a dead letter that was put back already is only deleted") {
    OperatorRig r;
    r.put_dead("a");
    r.faulty.on("Delete Blob").from(1).return_status(403, "AuthenticationFailed");
    CHECK(r.change(TaskChange::retry, ids({"a"})).error().code == ErrorCode::auth);
    r.faulty.clear();
    CHECK(r.there("jobs/2-a"));
    CHECK(r.there("jobs.dead/a"));
    CHECK(r.change(TaskChange::retry, ids({"a"})));
    CHECK(r.there("jobs/2-a"));
    CHECK_FALSE(r.there("jobs.dead/a"));
}

TEST_CASE("a blob of another tool among the dead letters is put back, too") {
    OperatorRig r;
    r.service.put("box", "jobs.dead/a", "content of a");
    const auto done = r.change(TaskChange::retry, all_dead());
    INFO(why(done));
    CHECK(done);
    CHECK(r.changed == "a");
    CHECK(r.service.content("box", "jobs/5-a") == "content of a");
}

TEST_CASE("a dead letter stays if another task has its id now") {
    OperatorRig r;
    r.put_dead("a");
    REQUIRE(r.put("a", 2));
    CHECK(r.change(TaskChange::retry, ids({"a"})).error().code == ErrorCode::precondition);
    CHECK(r.changed.empty());
    CHECK(r.there("jobs.dead/a"));
}

TEST_CASE("kick makes a delayed task ready and leaves others as they are") {
    OperatorRig r;
    r.put_delayed("a");
    REQUIRE(r.put("b"));
    r.service.clear_log();
    REQUIRE(r.change(TaskChange::kick, ids({"a", "b"})));
    CHECK(r.changed == "ab");
    CHECK(r.state("a") == TaskState::ready);
    CHECK(r.service.requests("Set Blob Metadata") == 1);
}

TEST_CASE("a kick whose answer is lost is done if the due time is gone") {
    OperatorRig r;
    r.put_delayed("a");
    r.faulty.on("Set Blob Metadata").from(1).drop_reply();
    CHECK(r.change(TaskChange::kick, ids({"a"})));
}

TEST_CASE("kick finds the due time in whatever case another tool has written its name") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    azure::Metadata odd = r.service.peek("box", "jobs/5-a")->metadata;
    odd["AZL_Task_DUE"] = "2033-11-14T22:13:20Z";
    REQUIRE(r.peer.client().set_metadata({"box", "jobs/5-a", {}}, odd, {}, {}));
    CHECK(r.state("a") == TaskState::delayed);
    SECTION("it is removed") {
        CHECK(r.change(TaskChange::kick, ids({"a"})));
        CHECK(r.state("a") == TaskState::ready);
        CHECK_FALSE(r.service.peek("box", "jobs/5-a")->metadata.contains("AZL_Task_DUE"));
    }
    SECTION("a kick that was not carried out is no success") {
        r.faulty.on("Set Blob Metadata").from(1).lose_request();
        const auto kicked = r.change(TaskChange::kick, ids({"a"}));
        CHECK(kicked.error().code == ErrorCode::unavailable);
        CHECK(r.state("a") == TaskState::delayed);
    }
}

TEST_CASE("a kick whose answer is lost, and whose task has been run since, may have been carried out") {
    OperatorRig r;
    r.put_delayed("a");
    r.faulty.on("Set Blob Metadata").drop_reply();
    r.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
        Claim held = r.claim_unscripted("a");
        held.task.due = r.clock.wall() + seconds(60);
        REQUIRE(give_back_task(r.peers_queue, held) == Finished::done);
    });
    const auto kicked = r.change(TaskChange::kick, ids({"a"}));
    CHECK(kicked.error().code == ErrorCode::unavailable);
    CHECK(kicked.error().may_have_applied);
    CHECK(kicked.error().message.find("the task a may have been made ready, but the answer was lost") == 0);
}

TEST_CASE("an order that names no tasks, or names them in two ways, is refused before anything is sent") {
    OperatorRig r;
    ChangeOptions both = all(true);
    both.ids = {"a"};
    r.service.clear_log();
    for (const auto& [change, options, part] :
         {std::tuple(TaskChange::retry, ChangeOptions{}, "give IDs of dead letters, or --dead for all of them"),
          std::tuple(TaskChange::kick, ChangeOptions{}, "give either IDs or --all"),
          std::tuple(TaskChange::kick, both, "give either IDs or --all"),
          std::tuple(TaskChange::remove, ChangeOptions{}, "give either IDs or --dead --all"),
          std::tuple(TaskChange::remove, all_dead(), "give either IDs or --dead --all"),
          std::tuple(TaskChange::remove, all(), "--all goes with --dead"),
          std::tuple(TaskChange::remove, both, "give either IDs or --dead --all")}) {
        const Status refused = r.change(change, options);
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::usage);
        CHECK(refused.error().message == part);
    }
    CHECK(r.service.requests() == 0);
}

TEST_CASE("without ids kick takes all delayed tasks, retry and remove all dead letters") {
    OperatorRig r;
    r.put_delayed("a");
    r.put_delayed("b");
    REQUIRE(r.put("c"));
    r.put_dead("d");
    r.put_dead("e");
    CHECK(r.change(TaskChange::kick, all()));
    CHECK(r.changed == "ab");
    CHECK(r.change(TaskChange::remove, all(true)));
    CHECK(r.changed == "de");
    r.put_dead("f");
    CHECK(r.change(TaskChange::retry, all_dead()));
    CHECK(r.changed == "f");
    CHECK(list_tasks(r.peers_queue, {}, {}).value().size() == 4);
}

TEST_CASE("remove deletes tasks, or with `dead` the dead letters of these ids") {
    OperatorRig r;
    r.put_dead("a");
    REQUIRE(r.put("a"));
    ChangeOptions dead = ids({"a"});
    dead.dead = true;
    CHECK(r.change(TaskChange::remove, dead));
    CHECK(r.there("jobs/5-a"));
    CHECK_FALSE(r.there("jobs.dead/a"));
    CHECK(r.change(TaskChange::remove, ids({"a"})));
    CHECK_FALSE(r.there("jobs/5-a"));
}

TEST_CASE("a task that runs is not changed, and the error is busy, also in a dry run") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    const Claim held = r.claim("a");
    const TaskChange change = GENERATE(TaskChange::remove, TaskChange::kick);
    ChangeOptions options = ids({"a"});
    options.dry_run = GENERATE(false, true);
    const auto changed = r.change(change, options);
    REQUIRE_FALSE(changed);
    CHECK(changed.error().code == ErrorCode::busy);
    CHECK(changed.error().message.find("the task a is run by") == 0);
    CHECK(r.changed.empty());
    CHECK(r.there("jobs/5-a"));
}

TEST_CASE("a dead letter that somebody puts back is not deleted, and the message says why") {
    OperatorRig r;
    r.put_dead("a");
    REQUIRE(r.peer.client().acquire_lease({"box", "jobs.dead/a", {}}, 60, {}, {}, {}));
    const auto removed = r.change(TaskChange::remove, all(true));
    CHECK(removed.error().code == ErrorCode::busy);
    CHECK(removed.error().message == "the dead letter a is being put back by somebody else");
}

TEST_CASE("a task that has changed since it was found is left alone") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    r.faulty.on("Delete Blob").meanwhile([&] { r.service.put("box", "jobs/5-a", "another"); });
    CHECK(r.change(TaskChange::remove, ids({"a"})).error().code == ErrorCode::precondition);
    CHECK(r.there("jobs/5-a"));
}

TEST_CASE("after a delete without an answer, a task that was put again is to be looked at before another delete") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    r.faulty.on("Delete Blob").nth(1).with("carried out, and put again", [&](const test::FaultCall& call) {
        (void)call.forward(call.request);
        r.service.put("box", "jobs/5-a", "another");
        Error error = make_error(ErrorCode::unavailable, "lost");
        error.fault = TransportFault::timeout;
        error.may_have_applied = true;
        return Result<http::Response>(fail(std::move(error)));
    });
    const auto removed = r.change(TaskChange::remove, ids({"a"}));
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::unavailable);
    CHECK(removed.error().hint.find("look at the task a before you delete it again") == 0);
    CHECK(r.there("jobs/5-a"));
}

TEST_CASE("a dead letter that may not be deleted is put back, and what could not be deleted is told each time") {
    OperatorRig r;
    r.put_dead("a");
    r.faulty.on("Delete Blob").from(1).return_status(409, "SnapshotsPresent");
    for (int time = 0; time < 2; ++time) {
        const auto done = r.change(TaskChange::retry, ids({"a"}));
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::precondition);
        CHECK(done.error().message ==
              "the dead letter a was put back, but the service refuses to delete its blob: the blob has snapshots");
        CHECK(done.error().hint.find("remove the snapshots") == 0);
        CHECK(r.changed == "a");
    }
    CHECK(r.state("a") == TaskState::ready);
    CHECK(list_tasks(r.peers_queue, {true}, {}).value().empty());
}

TEST_CASE("after a task that cannot be changed the others are, and the first error is the result") {
    OperatorRig r;
    for (const char* id : {"a", "b", "c"}) REQUIRE(r.put(id));
    const Claim first = r.claim("a");
    const Claim second = r.claim("b");
    const auto removed = r.change(TaskChange::remove, ids({"none", "a", "b", "c"}));
    CHECK(r.changed == "c");
    CHECK(removed.error().code == ErrorCode::busy);
    CHECK(removed.error().message.find("the task a ") == 0);
    REQUIRE(r.failures.size() == 2);
    CHECK(r.failures[0].message.find("there is no task none ") == 0);
    CHECK(r.failures[1].message.find("the task b ") == 0);
}

TEST_CASE("an id that does not exist is the error, and the others are changed") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    CHECK(r.change(TaskChange::remove, ids({"none", "a"})).error().code == ErrorCode::not_found);
    CHECK(r.changed == "a");
}

TEST_CASE("each id that does not exist is reported, and the first is the error") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    const auto what = GENERATE(TaskChange::remove, TaskChange::kick, TaskChange::retry);
    const auto changed = r.change(what, ids({"none", "neither", "nor"}));
    CHECK(changed.error().code == ErrorCode::not_found);
    CHECK(changed.error().message.find(" none ") != std::string::npos);
    REQUIRE(r.failures.size() == 2);
    CHECK(r.failures[0].message.find(" neither ") != std::string::npos);
    CHECK(r.failures[1].message.find(" nor ") != std::string::npos);
}

TEST_CASE("what could not be changed is reported, too, if another error ends the work") {
    OperatorRig r;
    const auto of_b = [](const http::Request& request) { return request.path.find("-b") != std::string::npos; };
    r.faulty.on(of_b, "the request for b").from(1).return_status(403, "AuthenticationFailed");
    CHECK(r.change(TaskChange::remove, ids({"none", "b"})).error().code == ErrorCode::auth);
    REQUIRE(r.failures.size() == 1);
    CHECK(r.failures.front().code == ErrorCode::not_found);
}

TEST_CASE("any other failure to find a task ends the work") {
    OperatorRig r;
    REQUIRE(r.put("a"));
    const auto of_b = [](const http::Request& request) { return request.path.find("-b") != std::string::npos; };
    r.faulty.on(of_b, "the request for b").from(1).return_status(403, "AuthenticationFailed");
    CHECK(r.change(TaskChange::remove, ids({"b", "a"})).error().code == ErrorCode::auth);
    CHECK(r.there("jobs/5-a"));
}

TEST_CASE("a dry run reports everything and changes nothing") {
    OperatorRig r;
    r.put_delayed("a");
    r.put_dead("b");
    ChangeOptions dry = all(true);
    dry.dry_run = true;
    CHECK(r.change(TaskChange::kick, dry));
    CHECK(r.changed == "a");
    CHECK(r.change(TaskChange::remove, dry));
    CHECK(r.changed == "b");
    CHECK(r.state("a") == TaskState::delayed);
    CHECK(r.there("jobs.dead/b"));
}

TEST_CASE("after a stop request no further task is changed or reported") {
    OperatorRig r;
    r.put_dead("a");
    r.put_dead("b");
    ChangeOptions options = all(true);
    SECTION("changed") {}
    SECTION("reported by a dry run") {
        options.dry_run = true;
    }
    std::stop_source stop;
    std::string changed;
    const ChangeReport report{[&](const QueueTask& task) -> Status {
                                  changed += task.id;
                                  stop.request_stop();
                                  return {};
                              },
                              [](const Error&) {}};
    const auto removed = change_tasks(r.queue, TaskChange::remove, options, {kNoDeadline, stop.get_token()}, report);
    CHECK(removed.error().code == ErrorCode::cancelled);
    CHECK(changed == "a");
    CHECK(r.there("jobs.dead/b"));
}

}  // namespace azlock::ops
