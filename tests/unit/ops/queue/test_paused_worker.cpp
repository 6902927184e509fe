// A worker that is paused (SIGSTOP, suspend) for longer than the lease of its task. Another one takes the task.
#include <csignal>
#include <mutex>

#include "support/catch.hpp"
#include "unit/eventually.hpp"
#include "unit/ops/queue/one_task_rig.hpp"
#include "unit/played_guard.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::FaultCall;
using test::OneTaskRig;
using test::PlayedGuard;
using Kind = TaskEnd::Kind;

constexpr int kCommand = 4'000'000;

struct PausedRig : OneTaskRig {
    explicit PausedRig(int exit_code = 0) : OneTaskRig(exit_code) {
        faulty.report_to([](const std::string&) {});
        test::must(put("a").has_value());
    }
    // The lease ends, and another worker takes what is ready; its command succeeds.
    void pause() {
        clock.advance(seconds(20));
        const WorkPlan by_peer{static_cast<const WorkRules&>(plan), peers_queue, {}};
        const auto tasks = list_tasks(peers_queue, {false, "", true}, {}).value();
        for (const QueueTask& task : tasks) {
            auto claimed = Claimer(peers_queue, timing).lease(task, {});
            if (!claimed || !*claimed) continue;
            others_end = ops::run_task(by_peer, std::move(**claimed), peers_guard.front(), peers_signals,
                                       [](const std::string&) {}, {})
                             .kind;
        }
        left = blobs();
    }
    // The versions of the task and of its dead letter.
    [[nodiscard]] std::string blobs() {
        std::string out;
        for (const char* name : {"jobs/5-a", "jobs.dead/a"}) {
            const auto found = service.peek("box", name);
            out += found ? found->etag + " " + found->lease_state + "; " : "none; ";
        }
        return out;
    }

    std::optional<Kind> others_end;
    std::string left;  // by the other worker
    test::ToldSignals peers_signals;
    std::vector<os::Guard> peers_guard =
        os::Guard::fork_many({"/bin/sh", "-c", R"(printf x >> "$0/ran")", dir.path()}, 1).value();
};

struct Pause {
    const char* name;
    std::function<Result<http::Response>(PausedRig&, const FaultCall&)> fault;
};

Result<http::Response> no_answer() {
    Error error = make_error(ErrorCode::unavailable, "the connection broke");
    error.fault = TransportFault::reset;
    error.retryable = error.may_have_applied = true;
    return fail(std::move(error));
}

const std::vector<Pause>& pauses() {
    static const std::vector<Pause> all{{"before the request is sent",
                                         [](PausedRig& r, const FaultCall& call) {
                                             r.pause();
                                             return call.forward(call.request);
                                         }},
                                        {"before its answer is read",
                                         [](PausedRig& r, const FaultCall& call) {
                                             auto answer = call.forward(call.request);
                                             r.pause();
                                             return answer;
                                         }},
                                        {"and its answer is lost", [](PausedRig& r, const FaultCall& call) {
                                             (void)call.forward(call.request);
                                             r.pause();
                                             return no_answer();
                                         }}};
    return all;
}

void check_pause(int exit_code, const Pause& pause, std::size_t request) {
    PausedRig r(exit_code);
    Claim claim = r.lease_task("a");
    r.faulty.on(test::any_request()).nth(request).with("a pause", [&](const FaultCall& call) {
        return pause.fault(r, call);
    });
    const Kind end = r.run_task(std::move(claim)).kind;
    CAPTURE(to_string(end), r.told);
    REQUIRE(!r.left.empty());
    CHECK(r.runs() <= 2);
    if (!r.others_end) return;  // it had been ended before the pause
    CAPTURE(to_string(*r.others_end));
    CHECK((*r.others_end == Kind::done || *r.others_end == Kind::dead));
    CHECK((end != Kind::done && end != Kind::dead && end != Kind::gone));
    CHECK(r.blobs() == r.left);
}

// Works on the task "a" with a command for which `begin` happens. The worker sends nothing in that time.
TaskEnd work_with(PausedRig& r, const std::function<void(PlayedGuard&)>& begin) {
    std::mutex paused;
    r.faulty.on(test::any_request()).from(1).with("not in the pause", [&](const FaultCall& call) {
        { const std::lock_guard over(paused); }
        return call.forward(call.request);
    });
    PlayedGuard played([&](PlayedGuard& guard, const os::Order& order) {
        if (order.kind == os::Order::Kind::start) {
            const std::lock_guard now(paused);
            guard.report(os::Report::Kind::started, kCommand);
            begin(guard);
        }
        const bool killed = order.kind == os::Order::Kind::end;
        if (killed || order.kind == os::Order::Kind::thaw) {
            guard.report(os::Report::Kind::exited, killed ? SIGKILL : 0);
            guard.report(os::Report::Kind::gone);
        }
    });
    r.guards.front() = played.side_of_azlock();
    return r.run_task("a");
}

}  // namespace

TEST_CASE("a worker that was paused at one of its requests changes nothing of a task that another one has ended") {
    const int exit_code = GENERATE(0, 9, 65);
    CAPTURE(exit_code);
    PausedRig undisturbed(exit_code);
    Claim claim = undisturbed.lease_task("a");
    undisturbed.service.clear_log();
    (void)undisturbed.run_task(std::move(claim));
    const auto log = undisturbed.service.log();
    for (std::size_t request = 1; request <= log.size(); ++request) {
        for (const Pause& pause : pauses()) {
            CAPTURE(request, log[request - 1].operation, pause.name);
            check_pause(exit_code, pause, request);
        }
    }
}

TEST_CASE("a task that another worker has ended after an unanswered delete is not told as done by the first one") {
    PausedRig r;
    Claim claim = r.lease_task("a");
    r.faulty.on("Delete Blob").nth(1).lose_request();
    r.faulty.on("Delete Blob").nth(2).with("a pause", [&](const FaultCall& call) {
        r.pause();  // when the deadline of the request had been looked at, and before it was sent
        return r.service.send(call.request, kNoDeadline, {});
    });
    CHECK(r.run_task(std::move(claim)).kind == Kind::unknown);
    CHECK(r.others_end == Kind::done);
}

TEST_CASE("after a pause a task's command goes on only if nobody has taken the task") {
    PausedRig r;
    SECTION("another worker has ended the task") {
        CHECK(work_with(r, [&](PlayedGuard&) { r.pause(); }).kind == Kind::lost);
        CHECK(r.others_end == Kind::done);
        CHECK(r.blobs() == r.left);
    }
    SECTION("another worker runs it") {
        std::optional<Claim> others;
        CHECK(work_with(r, [&](PlayedGuard&) {
                  r.clock.advance(seconds(20));
                  others = r.claim_unscripted("a");
                  r.left = r.blobs();
              }).kind == Kind::lost);
        CHECK(r.blobs() == r.left);
    }
    SECTION("another worker has ended it, and the command had ended before the pause") {
        CHECK(work_with(r, [&](PlayedGuard& guard) {
                  r.pause();
                  guard.report(os::Report::Kind::exited, 0);
                  guard.report(os::Report::Kind::gone);
              }).kind == Kind::lost);
        CHECK(r.blobs() == r.left);
    }
    SECTION("nobody has taken it") {
        CHECK(work_with(r, [&](PlayedGuard&) { r.clock.advance(seconds(20)); }).kind == Kind::done);
        CHECK(!r.there("jobs/5-a"));
    }
}

}  // namespace azlock::ops
