// What a queue holds: the next task, tasks in one state, and their number.
#include "ops/queue/find.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::QueueRig;

// "a" runs, "b" is delayed, "c" and "d" are ready, "e" is dead.
struct FullRig : QueueRig {
    FullRig() {
        REQUIRE(put("a", 0));
        held = claim("a");
        REQUIRE(put("b", 0, clock.wall() + seconds(600)));
        REQUIRE(put("d", 6));
        REQUIRE(put("e"));
        Claim dies = claim("e");
        dies.task.died = clock.wall();
        REQUIRE(bury_task(queue, dies) == Finished::done);
        clock.advance(seconds(5));
        REQUIRE(put("c"));
    }
    std::string names(const TaskFilter& filter) {
        std::string out;
        const auto tasks = list_tasks(queue, filter, {}).value();
        for (const QueueTask& task : tasks) out += task.id;
        return out;
    }
    Claim held;
};

}  // namespace

TEST_CASE("the next task is the most urgent one that is ready") {
    FullRig r;
    CHECK(next_task(r.queue, {})->id == "c");
    r.service.erase("box", "jobs/5-c");
    CHECK(next_task(r.queue, {})->id == "d");
    r.service.erase("box", "jobs/6-d");
    CHECK(next_task(r.queue, {}).error().code == ErrorCode::not_found);
}

TEST_CASE("tasks are listed by their state, and dead letters apart") {
    FullRig r;
    CHECK(r.names({}) == "abcd");
    CHECK(r.names({false, "ready"}) == "cd");
    CHECK(r.names({false, "delayed"}) == "b");
    CHECK(r.names({false, "running"}) == "a");
    CHECK(r.names({false, "dead"}) == "e");
    CHECK(r.names({true, ""}) == "e");
    CHECK(r.names({true, "ready"}).empty());
}

TEST_CASE("a task in the archive tier is no ready one, and is not the next") {
    FullRig r;
    azure::PutBlobOptions options;
    options.access_tier = "Archive";
    REQUIRE(r.peer.client().put_blob({"box", "jobs/0-cold", {}}, http::make_body("content"), options, {}));
    CHECK(r.names({false, "archived"}) == "cold");
    CHECK(r.names({false, "ready"}) == "cd");
    CHECK(next_task(r.queue, {})->id == "c");
    CHECK(count_tasks(r.queue, {})->archived == 1);
    CHECK(count_tasks(r.queue, {})->ready == 2);
    CHECK(state_of(find_task(r.queue, "cold", {}).value(), r.clock.wall()) == TaskState::archived);
}

TEST_CASE("each state is counted, and the oldest task is one that is not dead") {
    FullRig r;
    const auto counts = count_tasks(r.queue, {}).value();
    CHECK(counts.ready == 2);
    CHECK(counts.delayed == 1);
    CHECK(counts.running == 1);
    CHECK(counts.dead == 1);
    CHECK(counts.oldest == seconds(5));
    QueueRig empty;
    CHECK_FALSE(count_tasks(empty.queue, {})->oldest);
}

TEST_CASE("an error of the visitor ends the listing") {
    FullRig r;
    std::size_t seen = 0;
    const auto ended = for_each_task(r.queue, {}, {}, [&](const QueueTask&, WallTime) -> Status {
        if (++seen == 2) return fail(ErrorCode::io, "full");
        return {};
    });
    CHECK(ended.error().code == ErrorCode::io);
    CHECK(seen == 2);
}

TEST_CASE("an attempt that still runs is no failure yet, and one whose worker died is") {
    QueueRig r;
    REQUIRE(r.put("a"));
    const Claim held = r.claim("a");
    CHECK(failures_so_far(find_task(r.queue, "a", {}).value()) == 0);
    r.clock.advance(std::chrono::seconds(20));
    CHECK(failures_so_far(find_task(r.queue, "a", {}).value()) == 1);
}

TEST_CASE("all that counts the dead letters counts the same, whoever made them") {
    QueueRig r;
    r.service.put("box", "jobs.dead/a", "of another tool");
    r.service.put("box", "jobs.dead/folder/b", "no dead letter");
    CHECK(count_tasks(r.queue, {}).value().dead == list_tasks(r.queue, {true}, {}).value().size());
    CHECK(list_tasks(r.queue, {false, "dead"}, {}).value().size() == 1);
    CHECK(find_dead_letter(r.queue, "a", {}));
}

}  // namespace azlock::ops
