// One task, as somebody sees it who only looks: which one it is, and its content.
#include "ops/queue/look.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

struct Look : test::QueueRig {
    Look() {
        REQUIRE(put("late"));
        REQUIRE(put("first", 0));
        REQUIRE(put("dies"));
        Claim dies = claim("dies");
        dies.task.died = clock.wall();
        REQUIRE(bury_task(queue, dies) == Finished::done);
    }
    Result<TaskContent> peek(const TaskChoice& choice, std::size_t most = kMostInJson) {
        return peek_whole_task(
            queue, choice, [&](const QueueTask& task) { found += task.id; }, {}, most);
    }
    std::string found;
};

}  // namespace

TEST_CASE("a look finds the next task, a task by its id, or a dead letter, and its content") {
    Look l;
    for (const auto& [choice, id] : {std::pair(TaskChoice{}, "first"), std::pair(TaskChoice{"late"}, "late"),
                                     std::pair(TaskChoice{"dies", true}, "dies")}) {
        CAPTURE(id);
        l.found.clear();
        const auto seen = l.peek(choice);
        INFO(test::why(seen));
        REQUIRE(seen);
        CHECK(seen->task.id == id);
        CHECK(seen->content == std::string("content of ") + id);
        CHECK(l.found == id);
        CHECK(look_at_task(l.queue, choice, {})->task.id == id);
    }
    CHECK(l.peek({"dies"}).error().code == ErrorCode::not_found);
    CHECK(l.peek({"late", true}).error().code == ErrorCode::not_found);
}

TEST_CASE("a dead letter is named by its id, and without one nothing is asked of the service") {
    Look l;
    l.service.clear_log();
    const auto seen = l.peek({"", true});
    REQUIRE(!seen);
    CHECK(seen.error().code == ErrorCode::usage);
    CHECK(l.service.requests() == 0);
    CHECK(l.found.empty());
}

TEST_CASE("content that is needed as a whole may be as long as the limit, and no longer") {
    Look l;
    const std::string content = "content of late";
    CHECK(l.peek({"late"}, content.size())->content == content);
    const auto more = l.peek({"late"}, content.size() - 1);
    REQUIRE(!more);
    CHECK(more.error().code == ErrorCode::data);
    CHECK(more.error().message.find("the content is too large for JSON: more than 14 B") != std::string::npos);
}

TEST_CASE("a task is seen at the service's time") {
    Look l;
    const auto seen = look_at_task(l.queue, {"late"}, {});
    REQUIRE(seen);
    CHECK(std::chrono::abs(seen->now - l.clock.wall()) <= std::chrono::seconds(1));
}

}  // namespace azlock::ops
