// Putting, finding, claiming and finishing tasks, on the fake service.
#include "ops/queue/scan.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::lease_action;
using test::QueueRig;
using test::why;

}  // namespace

TEST_CASE("a task is put once under its id") {
    QueueRig r;
    CHECK(r.put("a").value());
    CHECK_FALSE(r.put("a").value());
    CHECK(r.service.content("box", "jobs/5-a") == "content of a");
}

TEST_CASE("a task whose name has only staged blocks is put if the service allows that, else these are told") {
    test::FakeOptions fake;
    fake.staged_blocks_refuse_create = GENERATE(false, true);
    QueueRig r(fake);
    r.service.stage("box", "jobs/5-a", "QUFB", "zz");
    const auto put = r.put("a");
    CHECK(put.has_value() != fake.staged_blocks_refuse_create);
    if (put) return;
    CHECK(put.error().code == ErrorCode::precondition);
    CHECK(put.error().message.find("only staged blocks have its name") != std::string::npos);
    CHECK(put.error().hint.find("azlock delete box/jobs/5-a --staged") != std::string::npos);
}

TEST_CASE("a put whose answer is lost is looked for and not sent again") {
    QueueRig r;
    r.faulty.on("Put Blob").drop_reply();
    CHECK(r.put("a").value());
    CHECK(r.faulty.requests("Put Blob") == 1);
}

TEST_CASE("a put whose answer is lost and whose task is gone may have been finished") {
    QueueRig r;
    r.faulty.on("Put Blob").drop_reply();
    r.faulty.on("Get Blob Properties").meanwhile([&] { r.service.erase("box", "jobs/5-a"); });
    const auto put = r.put("a");
    REQUIRE_FALSE(put);
    CHECK(put.error().code == ErrorCode::unavailable);
    CHECK(put.error().may_have_applied);
    CHECK(put.error().message.find("does not exist") != std::string::npos);
    CHECK(r.faulty.requests("Put Blob") == 1);
}

TEST_CASE("a put whose answer is lost, and that azlock cannot look for, is neither put nor missing") {
    QueueRig r;
    r.faulty.on("Put Blob").drop_reply();
    SECTION("no answer") {
        r.faulty.on("Get Blob Properties").from(1).fail_before();
    }
    SECTION("a refusal") {
        r.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthenticationFailed");
    }
    const auto put = r.put("a");
    REQUIRE_FALSE(put);
    CHECK(put.error().code == ErrorCode::unavailable);
    CHECK(put.error().may_have_applied);
    CHECK(put.error().message.find("nobody can tell if it was put") != std::string::npos);
    CHECK(put.error().message.find("does not exist") == std::string::npos);
    CHECK(put.error().hint.find("--id a") != std::string::npos);
    CHECK(r.faulty.requests("Put Blob") == 1);
}

TEST_CASE("a put whose answer is lost, and in whose place is another task, may have been finished") {
    QueueRig r;
    const bool older = GENERATE(false, true);
    const auto peer_puts = [&] {
        const NewTask other{"a", kDefaultPriority, {}, "0123456789abcdef", {}, false};
        REQUIRE(put_task(r.peers_queue, other, http::make_body("other"), {}));
    };
    if (older) {
        peer_puts();
        r.clock.advance(std::chrono::minutes(1));
        r.faulty.on("Put Blob").lose_request();
    } else {
        r.faulty.on("Put Blob").drop_reply();
        r.faulty.on("Get Blob Properties").meanwhile([&] {
            r.service.erase("box", "jobs/5-a");
            peer_puts();
        });
    }
    const auto put = r.put("a");
    INFO(why(put));
    REQUIRE(put.has_value() == older);
    if (put) CHECK_FALSE(*put);
    if (!put) CHECK(put.error().code == ErrorCode::unavailable);
    CHECK(r.service.content("box", "jobs/5-a") == "other");
}

TEST_CASE("a put that surely was not carried out is repeated") {
    QueueRig r;
    r.faulty.on("Put Blob").fail_before();
    CHECK(r.put("a").value());
}

TEST_CASE("a task is found whatever its priority") {
    QueueRig r;
    REQUIRE(r.put("a", 7));
    const auto found = find_task(r.queue, "a", {});
    INFO(why(found));
    REQUIRE(found);
    CHECK(found->priority == 7);
    CHECK(find_task(r.queue, "b", {}).error().code == ErrorCode::not_found);
}

TEST_CASE("a lone scanner gives tasks in the order of priority and name, out of one listing") {
    QueueRig r;
    for (const auto& [id, priority] : {std::pair("b", 5), {"a", 5}, {"z", 0}, {"c", 9}}) REQUIRE(r.put(id, priority));
    QueueScanner scanner(r.queue);
    std::string order;
    while (auto task = scanner.next({}).value()) {
        order += task->id;
        scanner.took();
        r.service.erase("box", task->blob.blob);
        scanner.ended();
    }
    CHECK(order == "zabc");
    CHECK(r.service.requests("List Blobs") == 2);  // the second one shows that there is nothing
}

TEST_CASE("leased and delayed tasks are passed over, and the scanner knows when the next one is due") {
    QueueRig r;
    REQUIRE(r.put("a"));
    REQUIRE(r.put("b", 5, r.clock.wall() + seconds(30)));
    REQUIRE(r.put("c", 5, r.clock.wall() + seconds(60)));
    const Claim held = r.claim("a");
    QueueScanner scanner(r.queue, 1);
    CHECK_FALSE(scanner.next({}).value());
    const auto wait = scanner.rest().due - r.clock.now();
    CHECK(wait > seconds(28));
    CHECK(wait <= seconds(31));
    r.clock.advance(seconds(31));
    CHECK(scanner.next({}).value());
}

TEST_CASE("many delayed tasks in front do not cost each task a listing of all of them") {
    constexpr int kPage = 10;
    QueueRig r;
    // As many pages as 6,000, or 100,000, delayed tasks have in pages of 1,000.
    const int pages = GENERATE(6, 100);
    for (int i = 0; i < pages * kPage; ++i) {
        REQUIRE(r.put("a" + std::to_string(10'000 + i), 4, r.clock.wall() + std::chrono::hours(5)));
    }
    constexpr int kTasks = 200;
    for (int i = 0; i < kTasks; ++i) REQUIRE(r.put("b" + std::to_string(1000 + i)));
    r.faulty.on("List Blobs").from(1).with("a slow service", [&](const test::FaultCall& call) {
        r.clock.advance(std::chrono::milliseconds(900));
        return call.forward(call.request);
    });
    r.service.clear_log();
    QueueScanner scanner(r.queue, kPage);
    for (int done = 0; done < kTasks; ++done) {
        const auto task = scanner.next({}).value();
        REQUIRE(task);
        scanner.took();
        r.clock.advance(seconds(2));
        r.service.erase("box", task->blob.blob);
        scanner.ended();
    }
    const auto listings = static_cast<double>(r.service.requests("List Blobs"));
    CAPTURE(pages, listings / kTasks);
    CHECK(listings / kTasks < 0.9);
}

TEST_CASE("a task that becomes ready in front of others is found after a while, and at once if there are no others") {
    QueueRig r;
    for (int i = 0; i < 20; ++i) REQUIRE(r.put("a" + std::to_string(10 + i), 4, r.clock.wall() + seconds(600)));
    for (int i = 0; i < 5; ++i) REQUIRE(r.put("b" + std::to_string(i)));
    QueueScanner scanner(r.queue, 5);
    const auto next = [&] {
        auto task = scanner.next({}).value();
        if (task) {
            scanner.took();
            r.service.erase("box", task->blob.blob);
            scanner.ended();
        }
        return task ? task->id : "";
    };
    CHECK(next() == "b0");
    REQUIRE(r.put("urgent", 0));
    CHECK(next() == "b1");
    SECTION("after a while") {
        r.clock.advance(seconds(6));
        CHECK(next() == "urgent");
    }
    SECTION("the others are done") {
        std::string rest;
        for (std::string id = next(); !id.empty(); id = next()) rest += id + " ";
        CHECK(rest == "b2 b3 b4 urgent ");
    }
}

TEST_CASE("where others are at work the choice is spread, but the most urgent come first") {
    QueueRig r;
    for (int i = 0; i < 40; ++i) REQUIRE(r.put("t" + std::to_string(100 + i), 5));
    REQUIRE(r.put("late", 6));
    const Claim held = r.claim("t100");
    bool spread = false;
    for (int i = 0; i < 20; ++i) {
        QueueScanner scanner(r.queue);
        const auto task = scanner.next({}).value();
        REQUIRE(task);
        CHECK(task->priority == 5);
        spread = spread || task->id != "t101";
    }
    CHECK(spread);
}

TEST_CASE("a task that is no longer as it was listed is not claimed") {
    QueueRig r;
    REQUIRE(r.put("a"));
    const auto listed = find_task(r.queue, "a", {}).value();
    Claim held = r.claim("a");
    CHECK_FALSE(r.claimer.lease(listed, {}).value());  // somebody has the lease
    held.task.due = r.clock.wall() + seconds(60);
    REQUIRE(give_back_task(r.queue, held) == Finished::done);
    CHECK_FALSE(r.claimer.lease(listed, {}).value());  // it was changed
    r.service.erase("box", "jobs/5-a");
    CHECK_FALSE(r.claimer.lease(listed, {}).value());
}

TEST_CASE("an acquire whose answer is lost locks nobody out") {
    QueueRig r;
    REQUIRE(r.put("a"));
    const auto listed = find_task(r.queue, "a", {}).value();
    r.faulty.on(lease_action("acquire"), "acquire").drop_reply();
    CHECK_FALSE(r.claimer.lease(listed, {}));
    CHECK(r.service.peek("box", "jobs/5-a")->lease_state == "available");
}

TEST_CASE("an attempt is counted once, also where the answer is lost") {
    QueueRig r;
    REQUIRE(r.put("a"));
    r.faulty.on("Set Blob Metadata").drop_reply();
    const Claim held = r.claim("a");
    CHECK(held.task.attempts == 1);
    CHECK(r.field("jobs/5-a", "azl_task_attempts") == "1");
    CHECK(finish_task(r.queue, held) == Finished::done);
    CHECK_FALSE(r.there("jobs/5-a"));
}

TEST_CASE("a delete whose answer is lost is done") {
    QueueRig r;
    REQUIRE(r.put("a"));
    const Claim held = r.claim("a");
    r.faulty.on("Delete Blob").drop_reply();
    CHECK(finish_task(r.queue, held) == Finished::done);
}

TEST_CASE("a task that is gone without a delete of ours is not ours") {
    QueueRig r;
    REQUIRE(r.put("a"));
    const Claim held = r.claim("a");
    r.service.erase("box", "jobs/5-a");
    CHECK(finish_task(r.queue, held) == Finished::lost);
}

TEST_CASE("a stalled worker changes nothing of somebody else's run") {
    QueueRig r;
    REQUIRE(r.put("a"));
    Claim stalled = r.claim("a");
    r.clock.advance(seconds(20));
    const Claim theirs = r.claim("a");
    CHECK(theirs.task.attempts == 2);
    stalled.task.died = r.clock.wall();
    for (const bool it_knows : {true, false}) {
        if (!it_knows) stalled.held.acquired = now_on(r.clock);  // then the service must refuse
        r.service.clear_log();
        CHECK(finish_task(r.queue, stalled) == Finished::lost);
        CHECK(give_back_task(r.queue, stalled) == Finished::lost);
        CHECK(bury_task(r.queue, stalled) == Finished::lost);
        CHECK((r.service.requests() == 0) == it_knows);
    }
    CHECK_FALSE(r.there("jobs.dead/a"));
    CHECK(r.field("jobs/5-a", "azl_task_attempts") == "2");
    CHECK(finish_task(r.queue, theirs) == Finished::done);
}

TEST_CASE("a task that is given back is free, without its holder's record and with its due time") {
    QueueRig r;
    REQUIRE(r.put("a"));
    Claim held = r.claim("a");
    held.task.due = r.clock.wall() + seconds(60);
    held.task.exit_code = 75;
    CHECK(give_back_task(r.queue, held) == Finished::done);
    CHECK(r.service.peek("box", "jobs/5-a")->lease_state == "available");
    CHECK(r.field("jobs/5-a", "azl_since").empty());
    CHECK(r.field("jobs/5-a", "azl_task_exit") == "75");
    CHECK_FALSE(r.field("jobs/5-a", "azl_task_due").empty());
}

TEST_CASE("whoever finds the dead letter of its task there only deletes") {
    QueueRig r;
    REQUIRE(r.put("a"));
    Claim first = r.claim("a");
    first.task.died = r.clock.wall();
    first.task.why = "the first";
    r.faulty.on("Delete Blob").from(1).lose_request();
    CHECK(bury_task(r.queue, first) == Finished::unknown);
    r.faulty.clear();
    CHECK(r.there("jobs/5-a"));
    Claim second = r.claim("a");
    second.task.died = r.clock.wall();
    second.task.why = "the second";
    CHECK(bury_task(r.queue, second) == Finished::done);
    CHECK_FALSE(r.there("jobs/5-a"));
    CHECK(r.field("jobs.dead/a", "azl_task_why") == "the first");
    CHECK(r.service.content("box", "jobs.dead/a") == "content of a");
}

TEST_CASE("the dead letter of another task with the same id is left alone") {
    QueueRig r;
    for (int i = 0; i < 2; ++i) {
        REQUIRE(r.put("a").value());
        Claim held = r.claim("a");
        held.task.died = r.clock.wall();
        REQUIRE(bury_task(r.queue, held) == Finished::done);
        if (i == 1) CHECK(r.there("jobs.dead/a." + held.task.key));
    }
    CHECK(r.there("jobs.dead/a"));
}

TEST_CASE("the pause after a failure doubles from its first length up to five minutes") {
    SeededRandom random(1);
    for (const auto& [failures, least] : {std::pair(1, 1), {2, 2}, {5, 16}, {9, 256}, {10, 300}, {1000, 300}}) {
        const auto pause = failure_pause(seconds(1), static_cast<std::uint64_t>(failures), random);
        CHECK(pause >= seconds(least));
        CHECK(pause <= seconds(least + least / 4 + 1));
    }
    CHECK(failure_pause(seconds(0), 3, random) == seconds(0));
    CHECK(failure_pause(seconds(900), 1, random) >= seconds(900));
}

TEST_CASE("the scanner tells tasks that others run, that pause after a failure, and that were put with a delay") {
    QueueRig r;
    for (const char* id : {"a", "b", "c"}) REQUIRE(r.put(id));
    REQUIRE(r.put("late", 5, r.clock.wall() + seconds(60)));
    const Claim running = r.claim("a");
    Claim failed = r.claim("b");
    failed.task.exit_code = 1;
    failed.task.due = r.clock.wall() + seconds(10);
    REQUIRE(give_back_task(r.queue, failed) == Finished::done);
    Claim later = r.claim("c");
    later.task.exit_code = 75;
    later.task.due = r.clock.wall() + seconds(20);
    REQUIRE(give_back_task(r.queue, later) == Finished::done);
    QueueScanner scanner(r.queue, 1);
    CHECK_FALSE(scanner.next({}).value());
    CHECK(scanner.rest().running == 1);
    CHECK(scanner.rest().pausing == 1);
    CHECK(scanner.rest().delayed == 2);
    CHECK(scanner.rest().due <= r.clock.now() + seconds(11));
}

TEST_CASE("the delay after 75 doubles up to an hour") {
    SeededRandom random(1);
    for (const auto& [deferred, least] : {std::pair(1, 10), {2, 20}, {5, 160}, {9, 2560}, {10, 3600}, {1000, 3600}}) {
        const auto delay = later_delay(static_cast<std::uint64_t>(deferred), random);
        CHECK(delay >= seconds(least));
        CHECK(delay <= seconds(least + least / 4 + 1));
    }
}

}  // namespace azlock::ops
