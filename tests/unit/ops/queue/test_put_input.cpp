// What a stream holds becomes one task, or a task for each line.
#include <algorithm>
#include <atomic>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ops/queue/put_input.hpp"
#include "support/catch.hpp"
#include "support/scripted_transport.hpp"
#include "unit/ops/queue/queue_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::QueueRig;
using test::why;

struct PutRig : QueueRig {
    using QueueRig::QueueRig;
    // Puts what `fd` gives; `ids` and `existed` get what is reported.
    Status put_from(int fd, const PutOptions& options) {
        return put_input(queue, options, fd, "the input", {}, [&](const std::string& id, bool was_there) -> Status {
            ids.push_back(id);
            existed = was_there;
            return {};
        });
    }
    Status put_text(const std::string& content, const PutOptions& options = {}) {
        const Fd fd(::open(dir.write("input", content).c_str(), O_RDONLY | O_CLOEXEC));
        return put_from(fd.get(), options);
    }
    // The contents of the tasks in the order of their ids, each followed by a slash.
    std::string contents() {
        std::string out;
        const auto tasks = list_tasks(peers_queue, {}, {}).value();
        for (const QueueTask& task : tasks) {
            out += service.content("box", task.blob.blob).value() + "/";
        }
        return out;
    }

    std::vector<std::string> ids;
    bool existed = false;
};

PutOptions lines() {
    PutOptions out;
    out.lines = true;
    return out;
}

PutOptions with_id(const std::string& id, int priority = kDefaultPriority) {
    PutOptions out;
    out.id = id;
    out.priority = priority;
    return out;
}

}  // namespace

TEST_CASE("a stream becomes one task") {
    PutRig r;
    PutOptions options;
    options.priority = 3;
    options.metadata = {{"colour", "red"}};
    const auto put = r.put_text("two\nlines\n", options);
    INFO(why(put));
    REQUIRE(put);
    REQUIRE(r.ids.size() == 1);
    CHECK_FALSE(r.existed);
    CHECK(r.service.content("box", "jobs/3-" + r.ids.front()) == "two\nlines\n");
    CHECK(r.field("jobs/3-" + r.ids.front(), "colour") == "red");
}

TEST_CASE("a task is not put if its id is taken, with any priority or by a dead letter") {
    PutRig r;
    REQUIRE(r.put_text("first", with_id("a", 7)));
    REQUIRE(r.put("b"));
    Claim held = r.claim("b");
    held.task.died = r.clock.wall();
    REQUIRE(bury_task(r.queue, held) == Finished::done);
    r.ids.clear();
    for (const char* id : {"a", "b"}) {
        CHECK(r.put_text("second", with_id(id)).error().code == ErrorCode::precondition);
        CHECK(r.ids.empty());
        PutOptions if_absent = with_id(id);
        if_absent.if_absent = true;
        CHECK(r.put_text("second", if_absent));
        CHECK(r.existed);
        CHECK(r.ids == std::vector<std::string>{id});
        r.ids.clear();
    }
    CHECK(r.contents() == "first/");
}

TEST_CASE("a task with an id is not put if the service does not say that the id is free") {
    PutRig r;
    r.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthenticationFailed");
    CHECK(r.put_text("x", with_id("a")).error().code == ErrorCode::auth);
    CHECK(r.contents().empty());
}

TEST_CASE("a task for each line, in their order, without empty lines") {
    PutRig r;
    REQUIRE(r.put_text("one\n\ntwo\nthree", lines()));
    CHECK(r.contents() == "one/two/three/");
    CHECK(r.ids.size() == 3);
    CHECK(std::is_sorted(r.ids.begin(), r.ids.end()));
}

TEST_CASE("the progress of lines counts their bytes and the tasks, also of a batch") {
    PutRig r;
    Progress progress;
    PutOptions options = lines();
    options.batch = GENERATE("", "b");
    options.progress = &progress;
    REQUIRE(r.put_text("one\n\ntwo\nthree\n", options));
    CHECK(progress.total == 15);
    CHECK(progress.sent == 15);
    CHECK(progress.items == 3);
}

TEST_CASE("lines of several batches stay in their order") {
    PutRig r;
    std::string text;
    std::string expected;
    for (int i = 1000; i < 1600; ++i) {
        text += std::to_string(i) + "\n";
        expected += std::to_string(i) + "/";
    }
    REQUIRE(r.put_text(text, lines()));
    CHECK(r.contents() == expected);
    CHECK(std::is_sorted(r.ids.begin(), r.ids.end()));
}

TEST_CASE("lines that have arrived do not wait for more") {
    PutRig r;
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    const Fd from(ends[0]);
    const Fd to(ends[1]);
    REQUIRE(::write(to.get(), "one\ntwo\nthr", 11) == 11);
    const auto put = r.put_from(from.get(), lines());  // ends where a pipe that waits would wait
    CHECK(put.error().code == ErrorCode::input_missing);
    CHECK(r.contents() == "one/two/");
    CHECK(r.ids.size() == 2);
}

TEST_CASE("a line that is too long ends the input") {
    PutRig r;
    const auto put = r.put_text("one\n" + std::string(5 * 1024 * 1024, 'x') + "\n", lines());
    CHECK(put.error().code == ErrorCode::data);
    CHECK(r.contents() == "one/");
}

TEST_CASE("the lines that were put are reported before the error of another one, which tells which lines are in") {
    PutRig r;
    std::string text = "\n";  // not a task, but a line
    for (int i = 2; i <= 40; ++i) text += std::to_string(i) + "\n";
    const bool unknown = GENERATE(false, true);
    if (unknown) {
        r.faulty.on("Put Blob").nth(5).drop_reply();
        r.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthenticationFailed");
    } else {
        r.faulty.on("Put Blob").nth(5).return_status(403, "AuthenticationFailed");
    }
    const auto put = r.put_text(text, lines());
    REQUIRE_FALSE(put);
    const std::string& told = put.error().message;
    INFO(told);
    const auto tasks = list_tasks(r.peers_queue, {}, {}).value();
    CHECK(put.error().code == (unknown ? ErrorCode::unavailable : ErrorCode::auth));
    CHECK(r.ids.size() == tasks.size() - (unknown ? 1 : 0));
    CHECK(told.find("; " + std::to_string(r.ids.size()) + " lines are in the queue: of lines 2 to ") !=
          std::string::npos);
    // What is in is what the error does not name.
    const std::size_t but = told.find(" all but ");
    REQUIRE(but != std::string::npos);
    const int missing = std::stoi(told.substr(but + 9));
    CHECK((("/" + r.contents()).find("/" + std::to_string(missing) + "/") == std::string::npos) == !unknown);
    CHECK((told.find("nobody can tell about line " + std::to_string(missing) + " (task ") != std::string::npos) ==
          unknown);
    CHECK(put.error().hint.find("--batch") != std::string::npos);
}

TEST_CASE("an error of one line lets the put of another one end, however often that is repeated") {
    PutRig r;
    r.queue.retry.max_attempts = 1000;
    r.faulty.on("Put Blob").with("403 when both puts are under way", [&](const test::FaultCall&) {
        while (r.faulty.requests("Put Blob") < 2) std::this_thread::yield();
        return test::service_answer(403, "AuthenticationFailed");
    });
    r.faulty.on("Put Blob").nth(2, 300).fail_before();
    const auto put = r.put_text("one\ntwo\n", lines());
    REQUIRE_FALSE(put);
    INFO(why(put));
    CHECK(put.error().code == ErrorCode::auth);
    CHECK(r.ids.size() == 1);
    CHECK(list_tasks(r.peers_queue, {}, {}).value().size() == 1);
}

TEST_CASE("as many lines are put at once as there are descriptors for") {
    PutRig r;
    PutOptions options = lines();
    options.batch = GENERATE("", "b");
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    r.faulty.on("Put Blob").from(1).meanwhile([&] {
        most = std::max<int>(most, ++now);
        std::this_thread::yield();
        --now;
    });
    std::string text;
    for (int i = 0; i < 40; ++i) text += "line\n";
    const Fd fd(::open(r.dir.write("input", text).c_str(), O_RDONLY | O_CLOEXEC));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{12, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    const auto put = r.put_from(fd.get(), options);
    ::setrlimit(RLIMIT_NOFILE, &before);
    INFO(why(put));
    CHECK(put);
    CHECK(r.ids.size() == 40);
    CHECK(most == 1);
}

TEST_CASE("a delay counts by the service's clock and ends at a whole second") {
    test::FakeOptions ahead;
    ahead.wall_ahead = seconds(100);
    PutRig r(ahead);
    r.clock.step_wall(milliseconds(250));
    PutOptions options;
    options.delay = milliseconds(1500);
    const WallTime earliest = r.clock.wall() + seconds(100) + milliseconds(1500);
    REQUIRE(r.put_text("x", options));
    const auto task = find_task(r.peers_queue, r.ids.front(), {}).value();
    REQUIRE(task.due);
    CHECK(*task.due > earliest - seconds(1));
    CHECK(*task.due <= earliest + seconds(1));
    CHECK(task.due->time_since_epoch() % seconds(1) == seconds(0));
}

TEST_CASE("the container is created only if that is wanted") {
    PutRig r;
    r.queue.name.container = "new";
    CHECK(r.put_text("x").error().code == ErrorCode::not_found);
    PutOptions options;
    options.create_container = true;
    CHECK(r.put_text("x", options));
}

TEST_CASE("a put that surely was not carried out is repeated as often as the queue allows") {
    PutRig r;
    const Queue twice{r.queue.name, r.us.client(), r.single, {.max_attempts = 2}};
    r.faulty.on("Put Blob").from(1).fail_before();
    const auto report = [](const std::string&, bool) -> Status { return {}; };
    const Fd empty(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    CHECK(put_input(twice, {}, empty.get(), "the input", {}, report).error().code == ErrorCode::unavailable);
    CHECK(r.faulty.requests("Put Blob") == 2);
}

TEST_CASE("an id names one task and a batch names lines: no task is put") {
    PutRig r;
    PutOptions options;
    options.lines = GENERATE(true, false);
    SECTION("the wrong one of the two") {
        (options.lines ? options.id : options.batch) = "a";
    }
    SECTION("a name that cannot be used") {
        (options.lines ? options.batch : options.id) = "a/b";
    }
    const auto put = r.put_text("one\n", options);
    REQUIRE(!put);
    CHECK(put.error().code == ErrorCode::usage);
    CHECK(r.contents().empty());
}

TEST_CASE("a file is put by its name") {
    PutRig r;
    const PutReport report = [](const std::string&, bool) -> Status { return {}; };
    REQUIRE(put_file(r.queue, {}, r.dir.write("input", "one"), {}, report));
    CHECK(r.contents() == "one/");
    CHECK(put_file(r.queue, {}, r.dir.file("nothing"), {}, report).error().code == ErrorCode::input_missing);
}

}  // namespace azlock::ops
