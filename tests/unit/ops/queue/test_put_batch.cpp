// The lines of a batch become tasks once each, however often and wherever its put was cut off.
#include <algorithm>
#include <set>

#include <fcntl.h>
#include <unistd.h>

#include "ops/queue/put_input.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

using test::QueueRig;
using test::why;

constexpr int kLines = 600;  // more than azlock reads at once

std::string many_lines() {
    std::string out;
    for (int i = 0; i < kLines; ++i) out += "line " + std::to_string(i) + "\n";
    return out;
}

struct BatchRig : QueueRig {
    Status put_batch(const std::string& content, int priority = kDefaultPriority) {
        PutOptions options;
        options.lines = true;
        options.batch = "b";
        options.priority = priority;
        ids.clear();
        existed = 0;
        const Fd fd(::open(dir.write("input", content).c_str(), O_RDONLY | O_CLOEXEC));
        return put_input(queue, options, fd.get(), "the input", {},
                         [&](const std::string& id, bool was_there) -> Status {
                             ids.push_back(id);
                             if (was_there) ++existed;
                             return {};
                         });
    }
    // A worker finishes all tasks that it finds.
    void work() {
        const auto tasks = list_tasks(peers_queue, {}, {}).value();
        for (const QueueTask& task : tasks) {
            done.insert(service.content("box", task.blob.blob).value());
            ++runs;
            service.erase("box", task.blob.blob);
        }
    }

    std::vector<std::string> ids;
    int existed = 0;
    std::set<std::string> done;
    int runs = 0;
};

}  // namespace

TEST_CASE("a batch is put once, and a repeat puts nothing") {
    BatchRig r;
    REQUIRE(r.put_batch("one\n\ntwo\n"));
    CHECK(r.ids == std::vector<std::string>{"b-00000001", "b-00000002"});
    CHECK(r.existed == 0);
    r.work();
    CHECK(r.done == std::set<std::string>{"one", "two"});
    REQUIRE(r.put_batch("one\n\ntwo\n"));
    CHECK(r.existed == 2);
    r.work();
    CHECK(r.runs == 2);
}

TEST_CASE("a put of many lines that was cut off anywhere, also between two of its steps, is finished by a repeat") {
    BatchRig r;
    const char* step = GENERATE("Put Blob", "Set Blob Metadata");
    const int request = GENERATE(1, 2, 100, 513, 514, 515, 560, 601);
    CAPTURE(step, request);
    r.faulty.on(step).nth(request).return_status(403, "AuthenticationFailed");
    const auto cut = r.put_batch(many_lines());
    REQUIRE_FALSE(cut);
    CHECK(cut.error().code == ErrorCode::auth);
    CHECK(cut.error().hint.find("the same command") != std::string::npos);
    const std::string told = r.ids.empty() ? "" : "; " + std::to_string(r.ids.size()) + " line";
    CHECK(cut.error().message.find(told) != std::string::npos);
    r.work();  // what was in is finished before the repeat
    r.faulty.clear();
    const auto again = r.put_batch(many_lines());
    INFO(why(again));
    REQUIRE(again);
    CHECK(r.ids.size() == kLines);
    CHECK(std::is_sorted(r.ids.begin(), r.ids.end()));
    r.work();
    CHECK(r.done.size() == kLines);
    CHECK(r.runs == kLines);
}

TEST_CASE("lost answers put no line of a batch twice") {
    BatchRig r;
    const char* step = GENERATE("Put Blob", "Set Blob Metadata");
    for (int i : {1, 2, 3, 4, 5, 6}) r.faulty.on(step).nth(i).drop_reply();
    const auto put = r.put_batch("one\ntwo\nthree\n");
    INFO(why(put));
    REQUIRE(put);
    r.work();
    CHECK(r.done.size() == 3);
    CHECK(r.runs == 3);
    r.faulty.clear();
}

TEST_CASE("nobody sees a line of a batch before the batch's blob says that it is written") {
    BatchRig r;
    r.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] {
        CHECK(list_tasks(r.peers_queue, {}, {}).value().empty());
        CHECK(r.there("jobs/5-b-00000001"));
    });
    CHECK(r.put_batch("one\n"));
    CHECK(list_tasks(r.peers_queue, {}, {}).value().size() == 1);
}

TEST_CASE("another input under the name of a batch is refused, and nothing of it is put") {
    BatchRig r;
    REQUIRE(r.put_batch("one\ntwo\n"));
    for (const char* other : {"one\n2\nthree\n", "one\n"}) {
        const auto put = r.put_batch(other);
        CHECK(put.error().code == ErrorCode::data);
        CHECK(r.ids.empty());
    }
    CHECK(r.put_batch("one\ntwo\n", 3).error().code == ErrorCode::usage);
    CHECK(list_tasks(r.peers_queue, {}, {}).value().size() == 2);
    SECTION("also if the batch was cut off before its blob told of the lines") {
        BatchRig cut;
        cut.faulty.on("Set Blob Metadata").nth(1).return_status(403, "AuthenticationFailed");
        CHECK_FALSE(cut.put_batch("one\n"));
        CHECK(cut.put_batch("another\n").error().code == ErrorCode::data);
    }
}

TEST_CASE("another task with the id of a batch's line is named, also by a repeat") {
    BatchRig r;
    REQUIRE(r.put("b-00000001"));
    for (int run = 0; run < 2; ++run) {
        const auto put = r.put_batch("one\ntwo\n");
        REQUIRE(!put);
        CHECK(put.error().code == ErrorCode::precondition);
        CHECK(put.error().message.find("another task has the id b-00000001") == 0);
    }
    r.service.erase("box", "jobs/5-b-00000001");
    CHECK(r.put_batch("one\ntwo\n"));
}

TEST_CASE("a batch goes on with lines that were added to its input") {
    BatchRig r;
    REQUIRE(r.put_batch("one\n"));
    REQUIRE(r.put_batch("one\ntwo\n"));
    CHECK(r.existed == 1);
    CHECK(list_tasks(r.peers_queue, {}, {}).value().size() == 2);
}

TEST_CASE("of two that put one batch at once, one says so and ends") {
    BatchRig r;
    r.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] {
        REQUIRE(r.peer.client().set_metadata({"box", "jobs.batches/b", {}}, {{"azl_batch_priority", "5"}}, {}, {}));
    });
    CHECK(r.put_batch("one\n").error().code == ErrorCode::precondition);
}

TEST_CASE("an error in the middle of lines without a batch says how many are in, and how to repeat it") {
    BatchRig r;
    PutOptions options;
    options.lines = true;
    r.faulty.on("Put Blob").nth(520).return_status(403, "AuthenticationFailed");
    const Fd fd(::open(r.dir.write("input", many_lines()).c_str(), O_RDONLY | O_CLOEXEC));
    std::size_t reported = 0;
    const auto put = put_input(r.queue, options, fd.get(), "the input", {}, [&](const std::string&, bool) -> Status {
        ++reported;
        return {};
    });
    CHECK(reported >= 512);
    CHECK(put.error().message.find("; " + std::to_string(reported) + " lines are in the queue") != std::string::npos);
    CHECK(put.error().hint.find("--batch") != std::string::npos);
}

}  // namespace azlock::ops
