// A guard that somebody stops: the command still ends in time, its end is told, and the lock is released after it.
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/text.hpp"
#include "os/process_tree.hpp"
#include "support/catch.hpp"
#include "unit/eventually.hpp"
#include "unit/ops/lock/locked_run_rig.hpp"
#include "unit/stopped_guard.hpp"

namespace azlock::ops {
namespace {

using Kind = LockedRunEnd::Kind;
using test::LockedRunRig;
using test::stopping;

// The command has written the id of its child.
bool runs(const LockedRunRig& rig) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(rig.dir.file("child"), missing);
    return !missing && size > 0;
}

}  // namespace

TEST_CASE("a stopped guard: the command's own end counts") {
    LockedRunRig rig("exit 3");
    rig.on_start = [&] { REQUIRE(kill(rig.guards.front().pid(), SIGSTOP) == 0); };
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::ran);
    CHECK(end.session.wait_status == 3 << 8);
    CHECK(rig.state() == "available");
}

TEST_CASE("a stopped guard: a signal reaches the command") {
    LockedRunRig rig("exec sleep 600");
    rig.on_start = [&] {
        REQUIRE(kill(rig.guards.front().pid(), SIGSTOP) == 0);
        rig.signals.send(SIGTERM);
    };
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::ran);
    CHECK(end.session.wait_status == SIGTERM);
}

TEST_CASE("a guard that is stopped again and again: azlock ends the command, and then releases the lock") {
    LockedRunRig rig("trap '' TERM; sh -c 'echo $$ > \"$0/child\"; exec sleep 600' \"$0\" & wait");
    std::jthread storm;
    rig.on_start = [&] {
        REQUIRE(test::eventually([&] { return runs(rig); }));
        storm = stopping(rig.guards.front());
    };
    bool gone = false;
    rig.faulty.on(test::lease_action("release")).nth(1).meanwhile([&] {
        const auto child = parse_u64(trim(rig.written("child")));
        gone = child && !os::find_process(static_cast<pid_t>(*child));
    });
    SECTION("by itself") {}
    SECTION("after two TERMs") {
        rig.on_start = [&] {
            REQUIRE(test::eventually([&] { return runs(rig); }));
            storm = stopping(rig.guards.front());
            rig.signals.send(SIGTERM);
            rig.signals.send(SIGTERM);
        };
    }
    const LockedRunEnd end = rig.run();
    storm = {};
    CHECK((end.kind == Kind::lost || end.kind == Kind::ran));
    CHECK(end.session.wait_status == SIGKILL);
    CHECK(end.session.nothing_left);
    CHECK(gone);
    CHECK(rig.state() == "available");
}

TEST_CASE("a guard that is stopped again and again: the end of a command that has ended counts") {
    LockedRunRig rig("until [ -e \"$0/go\" ]; do sleep 0.02; done; exit 3");
    std::jthread storm;
    rig.on_start = [&] {
        storm = stopping(rig.guards.front());
        (void)rig.dir.write("go", "");
    };
    const LockedRunEnd end = rig.run();
    storm = {};
    CHECK(end.kind == Kind::ran);
    CHECK(end.session.wait_status == 3 << 8);
    CHECK(rig.state() == "available");
}

TEST_CASE("a guard that is stopped again and again: the end of a command that the guard has told counts") {
    LockedRunRig rig("sleep 600 & echo $$ > \"$0/pid\"; exit 3");
    std::jthread storm;
    rig.on_start = [&] {
        const pid_t guard = rig.guards.front().pid();
        storm = stopping(rig.guards.front(), [&, guard] { return test::end_is_told(guard, rig.dir.file("pid")); });
    };
    const LockedRunEnd end = rig.run();
    storm = {};
    CHECK(end.kind == Kind::ran);
    CHECK(end.session.wait_status == 3 << 8);
    CHECK(rig.state() == "available");
}

}  // namespace azlock::ops
