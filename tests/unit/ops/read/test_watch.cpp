// A watch runs one command for each change, and knows when to end. The commands are real, the time is not.
#include <filesystem>

#include "ops/read/watch.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"
#include "unit/told_signals.hpp"

namespace azlock::ops {
namespace {

using Kind = WatchEvent::Kind;
using test::read_text_file;
using test::Rig;

struct Watch {
    explicit Watch(bool there = true) {
        if (there) put("one");
        options.command = {"sh", "-c", "echo \"$(cat) $AZLOCK_BLOB $AZLOCK_ETAG\" >> " + log()};
        options.interval = std::chrono::seconds(10);
    }
    WatchEnd run() {
        const WatchObserver observer{[&](const WatchEvent& event) {
                                         events.push_back(event.kind);
                                         return on_event ? on_event(event) : Status();
                                     },
                                     [&](const WatchEvent&, const os::ChildEnd& end, std::chrono::nanoseconds,
                                         std::optional<std::chrono::nanoseconds> again) {
                                         codes.push_back(end.code);
                                         told_again = again;
                                         return on_end ? on_end() : Status();
                                     }};
        const Deadline deadline = rig.clock.after(std::chrono::seconds(200));
        return watch_blob(rig.us.client(), rig.blob, options, observer, signals, {deadline, {}});
    }
    void put(const std::string& content) { rig.service.put("box", "data", content); }
    [[nodiscard]] std::string etag() { return '"' + rig.view().etag + '"'; }
    [[nodiscard]] std::string log() const { return rig.dir.file("log"); }
    [[nodiscard]] bool ran() const { return !codes.empty(); }

    Rig rig;
    WatchOptions options;
    test::ToldSignals signals;
    std::function<Status(const WatchEvent&)> on_event;
    std::function<Status()> on_end;
    std::vector<Kind> events;
    std::vector<int> codes;  // of the commands
    std::optional<std::chrono::nanoseconds> told_again;
};

}  // namespace

TEST_CASE("each change runs the command with its content, the blob's name and the ETag") {
    Watch w;
    std::string expected;
    w.on_event = [&](const WatchEvent& event) -> Status {
        if (event.kind == Kind::changed)
            expected += (expected.empty() ? "two" : "") + (" box/data " + event.etag + "\n");
        if (event.kind == Kind::watching) w.put("two");
        return {};
    };
    w.on_end = [&]() -> Status {
        if (w.codes.size() == 2) return fail(ErrorCode::io, "enough");
        w.put("");
        return {};
    };
    const WatchEnd end = w.run();
    REQUIRE(!end.status);
    CHECK(end.status.error().message == "enough");
    CHECK(!end.exit_code);
    CHECK(w.events == std::vector{Kind::watching, Kind::changed, Kind::changed});
    CHECK(w.codes == std::vector{0, 0});
    CHECK(read_text_file(w.log()) == expected);
}

TEST_CASE("the version at the start is a change with `initial` only") {
    Watch w;
    w.options.initial = true;
    w.options.once = true;
    const WatchEnd end = w.run();
    CHECK(end.status);
    CHECK(end.exit_code == 0);
    CHECK(read_text_file(w.log()) == "one box/data " + w.etag() + "\n");
}

TEST_CASE("a watch without a change ends at the deadline, and runs nothing") {
    Watch w;
    w.options.once = true;
    const WatchEnd end = w.run();
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::unavailable);
    CHECK(!w.ran());
}

TEST_CASE("only a version whose command succeeded is saved") {
    Watch w;
    w.options.initial = true;
    w.options.once = true;
    w.options.etag_file = w.rig.dir.file("seen");
    SECTION("it fails: nothing is saved, and the watch has its code") {
        w.options.command = {"sh", "-c", "exit 9"};
        const WatchEnd end = w.run();
        CHECK(end.status);
        CHECK(end.exit_code == 9);
        CHECK(w.rig.dir.names().empty());
    }
    SECTION("it succeeds: the next watch has nothing to do, even with `initial`") {
        CHECK(w.run().status);
        CHECK(read_text_file(w.options.etag_file) == w.etag() + "\n");
        CHECK(!w.run().status);
        CHECK(w.codes == std::vector{0});
    }
}

TEST_CASE("without `once` a failure is told, and the watch goes on") {
    Watch w;
    w.options.initial = true;
    w.options.command = {"sh", "-c", "exit 9"};
    w.on_end = [&]() -> Status {
        if (w.codes.size() == 1) w.put("two");
        return {};
    };
    const WatchEnd end = w.run();
    CHECK(!end.status);
    CHECK(!end.exit_code);
    CHECK(w.codes == std::vector{9, 9});
}

TEST_CASE("with `retry` a failed command gets the same version again until it succeeds") {
    Watch w;
    w.options.initial = w.options.once = true;
    w.options.retry = std::chrono::seconds(25);
    w.options.etag_file = w.rig.dir.file("seen");
    w.options.command = {"sh", "-c", "cat >> '" + w.log() + "'; test $(wc -c < '" + w.log() + "') -ge 9"};
    std::vector<BootTime> ends;
    w.on_end = [&]() -> Status {
        ends.push_back(w.rig.clock.now());
        CHECK(w.told_again.has_value() == (w.codes.back() != 0));
        CHECK(std::filesystem::exists(w.options.etag_file) == false);
        return {};
    };
    const WatchEnd end = w.run();
    CHECK(end.status);
    CHECK(end.exit_code == 0);
    CHECK(w.codes == std::vector{1, 1, 0});
    CHECK(read_text_file(w.log()) == "oneoneone");
    CHECK(ends[1] - ends[0] == std::chrono::seconds(25));
    CHECK(read_text_file(w.options.etag_file) == w.etag() + "\n");
    CHECK(w.rig.done("Get Blob") == 1);
}

TEST_CASE("a newer version takes the place of the one whose command is to run again, and so does a deletion") {
    Watch w;
    w.options.initial = true;
    w.options.retry = std::chrono::seconds(25);
    w.options.command = {"sh", "-c", "cat >> '" + w.log() + "'; false"};
    w.on_end = [&]() -> Status {
        if (w.codes.size() == 1) w.put("two");
        if (w.codes.size() == 2) w.rig.service.erase("box", "data");
        return {};
    };
    CHECK(!w.run().status);
    CHECK(w.codes.size() == 2);
    CHECK(read_text_file(w.log()) == "onetwo");
    CHECK(w.events == std::vector{Kind::changed, Kind::changed, Kind::deleted});
}

TEST_CASE("a deletion runs its own command, with the last ETag and no input") {
    Watch w;
    const std::string last = w.etag();
    w.options.etag_file = w.rig.dir.write("seen", last + "\n");
    w.options.once = true;
    w.rig.service.erase("box", "data");
    SECTION("if there is one") {
        w.options.on_delete = "echo \"[$(cat)] $AZLOCK_ETAG\" >> " + w.log();
        CHECK(w.run().exit_code == 0);
        CHECK(read_text_file(w.log()) == "[] " + last + "\n");
        CHECK(read_text_file(w.options.etag_file).empty());
    }
    SECTION("that fails: the deletion is not saved") {
        w.options.on_delete = "exit 4";
        CHECK(w.run().exit_code == 4);
        CHECK(read_text_file(w.options.etag_file) == last + "\n");
    }
    SECTION("if there is none, the deletion is saved and the watch goes on") {
        CHECK(!w.run().status);
        CHECK(w.events == std::vector{Kind::deleted});
        CHECK(!w.ran());
        CHECK(read_text_file(w.options.etag_file).empty());
    }
}

TEST_CASE("a signal ends the watch after the command, and says whether there was one") {
    Watch w;
    w.options.initial = true;
    SECTION("during the run") {
        w.on_end = [&]() -> Status {
            w.signals.send(15);
            return {};
        };
        const WatchEnd end = w.run();
        REQUIRE(!end.status);
        CHECK(end.status.error().code == ErrorCode::cancelled);
        CHECK(end.status.error().message == "stopped by a signal; the command has ended");
        CHECK(end.exit_code == 143);
        CHECK(w.ran());
    }
    SECTION("before the start") {
        w.signals.send(2);
        const WatchEnd end = w.run();
        REQUIRE(!end.status);
        CHECK(end.status.error().message == "stopped by a signal");
        CHECK(end.exit_code == 130);
        CHECK(!w.ran());
    }
}

TEST_CASE("a command that cannot be run ends the watch") {
    Watch w;
    w.options.initial = true;
    w.options.command = {"/no/such/command"};
    const WatchEnd end = w.run();
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::input_missing);
    CHECK(end.exit_code == 127);
}

TEST_CASE("a watch needs time between two looks and two runs: nothing is sent") {
    Watch w;
    SECTION("looks") {
        w.options.interval = std::chrono::milliseconds(0);
    }
    SECTION("runs") {
        w.options.retry = std::chrono::milliseconds(0);
    }
    const WatchEnd end = w.run();
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::usage);
    CHECK(w.rig.service.requests() == 0);
}

}  // namespace azlock::ops
