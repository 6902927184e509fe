// Moves between the queue and its dead letters that are interrupted, late, or made by two at once.
#include "azure/names.hpp"
#include "http/transport_error.hpp"
#include "ops/queue/operator.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::QueueRig;
using test::why;

struct MoveRig : QueueRig {
    void put_dead(const std::string& id) {
        REQUIRE(put(id));
        Claim held = dying(id);
        REQUIRE(bury_task(queue, held) == Finished::done);
    }
    Claim dying(const std::string& id, const std::string& reason = "exit code 65") {
        Claim held = claim(id);
        held.task.died = clock.wall();
        held.task.why = reason;
        return held;
    }
    static Status retry(const Queue& queue, const std::string& id = {}) {
        ChangeOptions options;
        options.dead = id.empty();
        if (!id.empty()) options.ids = {id};
        return change_tasks(queue, TaskChange::retry, options, {},
                            {[](const QueueTask&) -> Status { return {}; }, [](const Error&) {}});
    }
    // A peer runs the task to its good end.
    void work_off(const std::string& id) { REQUIRE(finish_task(peers_queue, claim_unscripted(id)) == Finished::done); }
    [[nodiscard]] std::uint64_t shown() { return shown_tasks() + count_tasks(peers_queue, {}).value().dead; }
    [[nodiscard]] std::uint64_t shown_tasks() {
        const auto counts = count_tasks(peers_queue, {}).value();
        return counts.ready + counts.delayed + counts.running;
    }
};

// Requests to this blob's name.
test::Match to(const std::string& name) {
    return [name](const http::Request& request) { return request.path.ends_with(name); };
}

}  // namespace

TEST_CASE("of two who revive a dead letter at once the second one does nothing") {
    MoveRig r;
    r.put_dead("a");
    Status second;
    r.faulty.on("Put Blob").meanwhile([&] { second = r.retry(r.peers_queue, "a"); });
    CHECK(r.retry(r.queue, "a"));
    INFO(why(second));
    CHECK(second.error().code == ErrorCode::busy);
    CHECK(r.shown_tasks() == 1);
    r.work_off("a");
    CHECK(r.shown() == 0);
}

TEST_CASE("who revives a dead letter too late puts nothing") {
    MoveRig r;
    r.put_dead("a");
    r.faulty.on("Put Blob").meanwhile([&] {
        r.clock.advance(seconds(61));
        REQUIRE(r.retry(r.peers_queue));
        r.work_off("a");
    });
    CHECK_FALSE(r.retry(r.queue, "a"));
    CHECK(r.shown() == 0);
    CHECK(r.put("a").value());  // the id is free
}

TEST_CASE("a revival that breaks off is finished by the next one, and the task is put once") {
    const int requests = [] {
        MoveRig r;
        r.put_dead("a");
        const auto before = r.faulty.requests();
        REQUIRE(r.retry(r.queue, "a"));
        return static_cast<int>(r.faulty.requests() - before);
    }();
    for (int kill = 1; kill <= requests; ++kill) {
        for (const bool carried_out : {false, true}) {
            MoveRig r;
            r.put_dead("a");
            auto& last = r.faulty.on(test::any_request()).nth(static_cast<std::size_t>(kill));
            if (carried_out) {
                last.drop_reply();
            } else {
                last.return_status(403, "AuthorizationFailure");
            }
            r.faulty.on(test::any_request()).nth(static_cast<std::size_t>(kill), 1000).return_status(403, "Killed");
            INFO("after request " << kill << (carried_out ? ", carried out" : ""));
            CHECK_FALSE(r.retry(r.queue, "a"));
            (void)r.faulty.unfired();
            r.faulty.report_to([](const std::string&) {});
            r.faulty.clear();
            r.clock.advance(seconds(61));
            std::uint64_t runs = 0;
            if (r.shown_tasks() == 1) {
                r.work_off("a");
                ++runs;
                CHECK(r.shown() == 0);  // what has run is not among the dead
            }
            (void)r.retry(r.queue);
            if (r.shown_tasks() == 1) {
                r.work_off("a");
                ++runs;
            }
            CHECK(runs == 1);
            CHECK(r.shown() == 0);
            CHECK_FALSE(r.there("jobs.dead/a"));
        }
    }
}

TEST_CASE("a task that is on its way to the dead letters is not run again, wherever its worker was killed") {
    const int requests = [] {
        MoveRig r;
        REQUIRE(r.put("a"));
        const Claim held = r.dying("a");
        const auto before = r.faulty.requests();
        REQUIRE(bury_task(r.queue, held) == Finished::done);
        return static_cast<int>(r.faulty.requests() - before);
    }();
    for (int kill = 2; kill <= requests; ++kill) {  // the first one decides
        MoveRig r;
        REQUIRE(r.put("a"));
        const Claim held = r.dying("a", "the first");
        r.faulty.on(test::any_request()).nth(static_cast<std::size_t>(kill), 1000).return_status(403, "Killed");
        INFO("before request " << kill);
        CHECK_FALSE(bury_task(r.queue, held));
        r.faulty.report_to([](const std::string&) {});
        r.faulty.clear();
        r.clock.advance(seconds(16));
        CHECK(r.shown() == 1);
        Claim next = r.claim_unscripted("a");
        CHECK((next.task.died || next.task.moving == Moving::left));
        if (next.task.moving == Moving::no) REQUIRE(r.claimer.read_content(next, {}));
        CHECK(bury_task(r.queue, next) == Finished::done);
        CHECK_FALSE(r.there("jobs/5-a"));
        CHECK(count_tasks(r.peers_queue, {}).value().dead == 1);
        CHECK(r.field("jobs.dead/a", "azl_task_why") == "the first");
        CHECK(r.service.content("box", "jobs.dead/a") == "content of a");
        CHECK(r.retry(r.queue));
        CHECK(r.shown_tasks() == 1);
        CHECK(r.shown() == 1);
    }
}

TEST_CASE("a worker that buries too late leaves no dead letter") {
    MoveRig r;
    REQUIRE(r.put("a"));
    const Claim stalled = r.dying("a");
    r.faulty.on(to("jobs.dead/a"), "the dead letter").meanwhile([&] {
        r.clock.advance(seconds(16));
        Claim next = r.claim_unscripted("a");
        REQUIRE(r.claimer.read_content(next, {}));
        REQUIRE(bury_task(r.peers_queue, next) == Finished::done);
        REQUIRE(r.retry(r.peers_queue));
        r.work_off("a");
    });
    const auto buried = bury_task(r.queue, stalled);
    CHECK((!buried || *buried != Finished::done));
    CHECK(r.shown() == 0);
}

TEST_CASE("a task that dies again while its old dead letter is still there replaces it") {
    MoveRig r;
    r.put_dead("a");
    r.faulty.on("Delete Blob").from(1).return_status(403, "AuthorizationFailure");
    CHECK_FALSE(r.retry(r.queue));
    r.faulty.clear();
    const Claim again = r.dying("a", "the second time");
    CHECK(bury_task(r.queue, again) == Finished::done);
    CHECK(r.field("jobs.dead/a", "azl_task_why") == "the second time");
    CHECK(r.shown() == 1);
    CHECK(r.retry(r.queue));
    CHECK(r.shown_tasks() == 1);
}

TEST_CASE("a blob among the dead letters that azlock did not make can be revived") {
    MoveRig r;
    r.service.put("box", "jobs.dead/by-hand", "content");
    CHECK(r.retry(r.queue));
    CHECK(r.service.content("box", "jobs/5-by-hand") == "content");
    CHECK(r.shown() == 1);
}

TEST_CASE("a task whose name leaves no room for that of its dead letter is buried under a shorter one") {
    MoveRig r;
    // Two bytes and one character each.
    std::string id;
    for (int i = 0; i < 1017; ++i) id += "\xC3\xA9";
    r.service.put("box", "jobs/5-" + id, "content");
    const Claim held = r.dying(id);
    CHECK(bury_task(r.queue, held) == Finished::done);
    CHECK_FALSE(r.there("jobs/5-" + id));
    const auto dead = list_tasks(r.peers_queue, {true}, {}).value();
    REQUIRE(dead.size() == 1);
    CHECK(azure::check_blob_name(dead.front().blob.blob));
    CHECK(dead.front().id.ends_with(dead.front().key));
    CHECK(r.retry(r.queue));
    CHECK(r.shown_tasks() == 1);
    CHECK(r.shown() == 1);
}

TEST_CASE("a mover whose mark was written, but who lost the lease before the answer, leaves the copy to the next one") {
    MoveRig r;
    r.put_dead("a");
    r.faulty.on("Set Blob Metadata").nth(1).with("lost, lease broken", [&](const test::FaultCall& call) {
        (void)call.forward(call.request);
        REQUIRE(r.peer.client().break_lease({"box", "jobs.dead/a", {}}, 0, {}, {}));
        return Result<http::Response>(fail(http::transport_error(TransportFault::reset, "lost")));
    });
    CHECK_FALSE(r.retry(r.queue, "a"));
    CHECK(r.shown() == 1);
    CHECK(r.retry(r.peers_queue));
    CHECK(r.shown_tasks() == 1);
    CHECK(r.service.content("box", "jobs/5-a") == "content of a");
}

TEST_CASE("content that is copied block by block is copied whole") {
    MoveRig r;
    REQUIRE(r.put("a"));
    Claim held = r.dying("a");
    held.content.reset();  // this machine could not keep it
    CHECK(bury_task(r.queue, held) == Finished::done);
    CHECK(r.service.content("box", "jobs.dead/a") == "content of a");
    CHECK(r.service.requests("Put Block") == 1);
}

TEST_CASE("content that is copied block by block is not copied in part, or from another place") {
    MoveRig r;
    REQUIRE(r.put("a"));
    Claim held = r.dying("a");
    held.content.reset();
    const auto answer = [&](const std::string& range, const std::string& body) {
        r.faulty.on("Get Blob").from(1).with("other range", [=](const test::FaultCall& call) {
            http::Request asked = call.request;
            asked.sink = nullptr;
            auto response = call.forward(asked);
            response->headers.set("Content-Range", range);
            response->body.clear();
            if (call.request.sink->begin(*response)) CHECK(call.request.sink->write(as_bytes(body)));
            return response;
        });
    };
    SECTION("the service answers with another range") {
        answer("bytes 1-12/13", "ontent of a!");
    }
    SECTION("the service answers with less") {
        answer("bytes 0-6/12", "content");
    }
    const auto buried = bury_task(r.queue, held);
    CHECK((!buried || *buried != Finished::done));
    r.faulty.clear();
    CHECK_FALSE(r.there("jobs.dead/a"));
    CHECK(r.service.content("box", "jobs/5-a") == "content of a");
}

}  // namespace azlock::ops
