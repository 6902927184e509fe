// Keeping a lease: each row of the table in docs/lock.md as a story.
#include "ops/lock/lock_rules.hpp"
#include "support/catch.hpp"
#include "unit/ops/lock/lock_story.hpp"

namespace azlock::ops {
namespace {

using std::chrono::minutes;
using test::milliseconds;
using test::nanoseconds;
using test::no_answer;
using test::refused;
using test::renewed;
using test::Reply;
using test::seconds;
using test::Story;

constexpr nanoseconds kNever{-1};

std::function<Reply(int)> always(Result<azure::LeaseResult> result) {
    return [result](int) { return Reply{milliseconds(20), result}; };
}

}  // namespace

TEST_CASE("a lease that can be renewed is kept for ever, a quarter of the ttl at a time") {
    Story story;
    story.run(minutes(30));
    CHECK(story.running());
    CHECK(!story.frozen_at);
    CHECK(story.told.empty());
    REQUIRE(story.renews.size() > 100);
    for (std::size_t i = 1; i < story.renews.size(); ++i) {
        const nanoseconds gap = story.renews[i] - story.renews[i - 1];
        REQUIRE(gap >= milliseconds(13'500));
        REQUIRE(gap <= milliseconds(16'500));
    }
}

TEST_CASE("holders spread their renews") {
    Story story;
    story.run(minutes(10));
    REQUIRE(story.renews.size() > 10);
    CHECK(story.renews[2] - story.renews[1] != story.renews[3] - story.renews[2]);
}

TEST_CASE("an answer that says nothing about the lease is tried again until TERM, then KILL") {
    const auto answer = GENERATE(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    const std::vector<Result<azure::LeaseResult>> answers{
        refused(408),
        refused(429, "TooManyRequests"),
        refused(500, "InternalError"),
        refused(503, "ServerBusy"),
        refused(401, "InvalidAuthenticationInfo"),
        refused(403, "AuthenticationFailed"),
        refused(404),  // from a proxy: without the service's code
        no_answer(TransportFault::resolve),
        no_answer(TransportFault::reset),
        renewed(""),
    };
    CAPTURE(answer);
    Story story;
    story.network = always(answers[static_cast<std::size_t>(answer)]);
    story.run(seconds(44));
    CHECK(story.running());
    CHECK(story.renews.size() > 5);
    story.run(seconds(20));
    CHECK(story.at(story.term_at) == seconds(45));
    CHECK(story.at(story.kill_at) == seconds(55));
    CHECK(story.rules.lost());
}

TEST_CASE("without any answer TERM and KILL come in time") {
    for (const int ttl : {15, 30, 60}) {
        CAPTURE(ttl);
        Story story{seconds(ttl)};
        story.network = [](int) { return Reply{kNever, no_answer()}; };
        story.run(seconds(2 * ttl));
        CHECK(*story.term_at == story.timing.term_at(story.began));
        CHECK(*story.kill_at == story.timing.kill_at(story.began));
        CHECK(*story.kill_at < story.began + story.timing.ttl);
        // With the shortest lease an attempt ends before a second one in parallel would help.
        CHECK(story.most_in_flight == (ttl == 15 ? 1 : 2));
    }
}

TEST_CASE("an outage that ends before TERM is only told of") {
    Story story;
    story.network = always(refused(503, "ServerBusy"));
    story.run(seconds(40));
    CHECK(story.was_told("cannot renew"));
    story.network = always(renewed());
    story.run(minutes(5));
    CHECK(story.running());
    CHECK(story.was_told("renewed again"));
}

TEST_CASE("the first failure is told at once, later ones every 10 s") {
    Story story;
    story.network = always(refused(503, "ServerBusy"));
    story.run(seconds(44));
    CHECK(story.told.size() == 3);
}

TEST_CASE("the lease counts from before the renew was sent, not from the answer") {
    Story story;
    story.network = [](int) { return Reply{milliseconds(1900), renewed()}; };
    story.run(seconds(18));
    REQUIRE(story.renews.size() == 1);
    CHECK(story.rules.sent() == story.renews[0]);
    story.network = [](int) { return Reply{kNever, no_answer()}; };
    story.run(minutes(2));
    CHECK(*story.term_at == story.renews[0] + seconds(45));
}

TEST_CASE("a renew without an answer for 2 s is sent again on another connection, and the answer counts from there") {
    Story story;
    story.network = [](int number) {
        return number == 1 ? Reply{kNever, no_answer()} : Reply{milliseconds(20), renewed()};
    };
    story.run(seconds(20));
    REQUIRE(story.renews.size() == 2);
    CHECK(story.renews[1] == story.renews[0] + seconds(2));
    CHECK(story.rules.sent() == story.renews[1]);
    CHECK(story.running());
}

TEST_CASE("the first try's late answer does not move the lease back") {
    Story story;
    story.network = [](int number) {
        return number == 1 ? Reply{milliseconds(3000), renewed()} : Reply{milliseconds(20), renewed()};
    };
    story.run(seconds(25));
    CHECK(story.rules.sent() == story.renews[1]);
}

TEST_CASE("TERM is irrevocable: a renew that succeeds afterwards changes nothing") {
    Story story;
    story.network = [](int) { return Reply{kNever, no_answer()}; };
    story.run(seconds(46));
    REQUIRE(story.term_at);
    story.network = always(renewed());
    for (int number = 1; number <= static_cast<int>(story.renews.size()); ++number) {
        story.act(story.rules.on_renewed(number, read_renew(renewed(), test::kStoryLease), now_on(story.clock)));
    }
    story.run(minutes(2));
    CHECK(story.at(story.term_at) == seconds(45));
    CHECK(story.at(story.kill_at) == seconds(55));
    CHECK(story.rules.lost());
}

TEST_CASE("where the service says that the lease is somebody else's, KILL comes at once and without a TERM") {
    const auto answer = GENERATE(0, 1, 2, 3, 4, 5, 6);
    const std::vector<Result<azure::LeaseResult>> answers{
        refused(409, "LeaseIdMismatchWithLeaseOperation"),
        refused(409, "LeaseIsBrokenAndCannotBeRenewed"),
        refused(409, "LeaseNotPresentWithLeaseOperation"),
        refused(412, "LeaseLost"),
        refused(404, "BlobNotFound"),
        refused(404, "ContainerNotFound"),
        renewed("99999999-2222-3333-4444-555555555555"),
    };
    CAPTURE(answer);
    Story story;
    story.network = always(answers[static_cast<std::size_t>(answer)]);
    story.run(seconds(20));
    REQUIRE(story.kill_at);
    CHECK(!story.term_at);
    const BootTime refused_at = story.renews.front() + milliseconds(20);
    CHECK(*story.frozen_at == refused_at);
    CHECK(*story.kill_at == refused_at + milliseconds(20));
    CHECK(story.rules.lost());
    CHECK(story.renews.size() == 1);
}

TEST_CASE("a lease that cannot be looked at after a refusal is lost") {
    Story story;
    story.network = always(refused(409, "LeaseIdMismatchWithLeaseOperation"));
    SECTION("the look fails") {
        story.lease_state = [] { return std::string(); };
        story.run(seconds(20));
        CHECK(*story.kill_at == *story.frozen_at + milliseconds(20));
    }
    SECTION("the look is never answered") {
        story.look_answers = false;
        story.run(seconds(30));
        CHECK(*story.kill_at == *story.frozen_at + seconds(5));
    }
    CHECK(!story.term_at);
}

TEST_CASE("a lease that is being broken leaves the command the time that is left, less a second") {
    Story story;
    story.network = always(refused(409, "LeaseIsBrokenAndCannotBeRenewed"));
    story.lease_state = [] { return std::string("breaking"); };
    SECTION("5 s") {
        story.break_time = [] { return std::optional<int>(5); };
        story.run(seconds(40));
        const BootTime asked = *story.frozen_at + milliseconds(20);
        CHECK(*story.term_at == asked + milliseconds(20));
        CHECK(*story.kill_at == asked + seconds(4));
    }
    SECTION("more than the command's own time") {
        story.break_time = [] { return std::optional<int>(38); };
        story.run(seconds(60));
        CHECK(*story.kill_at == *story.term_at + seconds(10));
    }
    SECTION("nothing") {
        story.break_time = [] { return std::optional<int>(0); };
        story.run(seconds(40));
        CHECK(!story.term_at);
        CHECK(*story.kill_at == *story.frozen_at + milliseconds(40));
    }
    SECTION("nobody says how much") {
        story.break_time = [] { return std::optional<int>(); };
        story.run(seconds(40));
        CHECK(!story.term_at);
        CHECK(*story.kill_at == *story.frozen_at + milliseconds(40));
    }
}

TEST_CASE("after a pause in which nobody took the lease the command goes on and the record is written again") {
    const auto pause = GENERATE(20, 50, 600);
    CAPTURE(pause);
    Story story;
    story.run(seconds(3));
    story.sleep_through(seconds(pause));
    CHECK(story.frozen);
    story.run(minutes(5));
    CHECK(story.running());
    CHECK(story.records == 1);
    CHECK(story.was_told("the lease was never lost"));
    CHECK(!story.rules.lost());
}

TEST_CASE("after a pause nothing runs before the record is written again") {
    Story story;
    story.record = [] { return std::pair(seconds(3), Status()); };
    story.run(seconds(3));
    story.sleep_through(minutes(10));
    story.run(seconds(2));
    CHECK(story.records == 1);
    CHECK(story.frozen);
    story.run(seconds(2));
    CHECK(story.records == 1);
    CHECK(story.running());
}

TEST_CASE("a record that cannot be written after a pause is tried again, each time after a renew") {
    Story story;
    story.record = [] { return std::pair(milliseconds(20), Status(fail(ErrorCode::unavailable, "busy"))); };
    SECTION("refused for a time") {}
    SECTION("not answered") {
        story.record = [] { return std::pair(kNever, Status()); };
    }
    story.run(seconds(3));
    story.sleep_through(minutes(10));
    const std::size_t renews = story.renews.size();
    story.run(seconds(6));
    CHECK(story.records >= 2);
    CHECK(story.renews.size() >= renews + 1);
    CHECK(story.frozen);
    CHECK(story.was_told("cannot write the record of the lock: "));
    story.record = [] { return std::pair(milliseconds(20), Status()); };
    story.run(seconds(6));
    CHECK(story.running());
}

TEST_CASE("a command whose record cannot be written after a pause is killed and never thawed") {
    Story story;
    auto error = make_error(ErrorCode::precondition, "the lease is gone");
    seconds until{10};
    SECTION("no answer for as long as azlock tries to renew") {
        error = make_error(ErrorCode::unavailable, "busy");
    }
    SECTION("the lease is lost") {
        error.http_status = 412;
        error.service_code = "LeaseNotPresentWithBlobOperation";
        until = seconds(1);
    }
    story.record = [&] { return std::pair(milliseconds(20), Status(fail(error))); };
    story.run(seconds(3));
    story.sleep_through(minutes(10));
    const BootTime woken = story.clock.now();
    story.run(minutes(2));
    REQUIRE(story.kill_at);
    CHECK(*story.kill_at <= woken + until);
    CHECK(!story.term_at);
    CHECK(story.frozen);
}

TEST_CASE("after a pause in which somebody took the lease the command is killed and never thawed") {
    Story story;
    story.run(seconds(3));
    story.network = always(refused(409, "LeaseIdMismatchWithLeaseOperation"));
    story.sleep_through(minutes(10));
    story.run(seconds(5));
    CHECK(story.kill_at);
    CHECK(!story.term_at);
    CHECK(story.frozen);
    CHECK(story.rules.lost());
}

TEST_CASE("after a pause in which somebody began to break the lease the command gets no time to end") {
    Story story;
    story.run(seconds(3));
    story.network = always(refused(409, "LeaseIsBrokenAndCannotBeRenewed"));
    story.lease_state = [] { return std::string("breaking"); };
    story.break_time = [] { return std::optional<int>(30); };
    story.sleep_through(seconds(20));
    const BootTime woken = story.clock.now();
    story.run(seconds(40));
    REQUIRE(story.kill_at);
    CHECK(*story.kill_at <= woken + seconds(1));
    CHECK(!story.term_at);
    CHECK(story.frozen);
}

TEST_CASE("after a pause without a network the command stays stopped and is killed") {
    Story story;
    story.network = always(no_answer(TransportFault::connect));
    story.run(seconds(3));
    story.sleep_through(minutes(10));
    const BootTime woken = story.clock.now();
    story.run(seconds(60));
    CHECK(*story.kill_at == woken + seconds(10));
    CHECK(!story.term_at);
    CHECK(story.frozen);
}

TEST_CASE("a network that comes back soon after a pause saves the command") {
    Story story;
    story.network = always(no_answer(TransportFault::resolve));
    story.run(seconds(3));
    story.sleep_through(minutes(10));
    story.run(seconds(7));
    CHECK(story.frozen);
    story.network = always(renewed());
    story.run(seconds(3));
    CHECK(story.running());
}

TEST_CASE("a renew that was sent before the pause proves nothing about it") {
    Story story;
    story.network = [](int number) { return number == 1 ? Reply{seconds(4), renewed()} : Reply{kNever, no_answer()}; };
    story.run(seconds(17));
    REQUIRE(story.renews.size() == 1);
    story.sleep_through(minutes(10));  // its answer is read after the pause
    story.run(seconds(60));
    CHECK(story.kill_at);
    CHECK(!story.rules.frozen());
    CHECK(story.rules.lost());
}

TEST_CASE("a wall clock that goes ahead freezes the command until the lease is proved") {
    Story story;
    story.run(seconds(3));
    story.clock.step_wall(seconds(30));
    story.act(story.rules.on_time(now_on(story.clock)));
    CHECK(story.frozen);
    story.run(seconds(1));
    CHECK(story.running());
    CHECK(story.records == 1);
}

TEST_CASE("a wall clock that is set back, or slewed a little, is no reason") {
    Story story;
    story.run(seconds(3));
    story.clock.step_wall(seconds(-3600));
    story.run(seconds(30));
    story.clock.step_wall(milliseconds(900));
    story.run(seconds(30));
    CHECK(!story.frozen_at);
    CHECK(story.running());
}

TEST_CASE("a wall clock that is set back and then right again is a step ahead") {
    Story story;
    story.clock.step_wall(seconds(-3600));
    story.act(story.rules.on_time(now_on(story.clock)));
    CHECK(!story.frozen_at);
    story.clock.step_wall(seconds(3600));
    story.run(seconds(30));
    CHECK(story.frozen_at);
    CHECK(story.running());
}

TEST_CASE("a service's clock that went ahead of ours means that we were paused: told, and the record written again") {
    Story story;
    seconds ahead{0};
    story.network = [&](int) {
        azure::LeaseResult result;
        result.lease_id = test::kStoryLease;
        const auto now = std::chrono::floor<seconds>(story.clock.wall() + ahead);
        const auto second = now.time_since_epoch().count() % 60;
        const auto minute = now.time_since_epoch().count() / 60 % 60;
        char text[64];
        std::snprintf(text, sizeof text, "Tue, 14 Nov 2023 22:%02d:%02d GMT", static_cast<int>(minute),
                      static_cast<int>(second));
        result.date = text;
        return Reply{milliseconds(20), result};
    };
    story.run(seconds(80));
    CHECK(story.records == 0);
    ahead = seconds(10);
    story.run(seconds(20));
    CHECK(story.records == 1);
    CHECK(story.was_told("azlock was paused"));
    CHECK(story.frozen_at);
    CHECK(story.running());
    story.run(seconds(120));
    CHECK(story.records == 1);
}

TEST_CASE("a job that was stopped is continued only after the lease was proved") {
    Story story;
    story.run(seconds(3));
    story.act(story.rules.check(now_on(story.clock), "the job was stopped"));
    CHECK(story.frozen);
    story.run(seconds(1));
    CHECK(story.running());
}

}  // namespace azlock::ops
