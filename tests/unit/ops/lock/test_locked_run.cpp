// One run of a command under a lock: what the command is told, what stays in the blob, and how each run ends.
#include <csignal>
#include <filesystem>
#include <thread>

#include "ops/lock/lock_order.hpp"
#include "support/catch.hpp"
#include "unit/answering_keeper.hpp"
#include "unit/eventually.hpp"
#include "unit/ops/lock/locked_run_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using Kind = LockedRunEnd::Kind;
using test::AnsweringKeeper;
using test::eventually;
using test::lease_action;
using test::LockedRunRig;

constexpr const char* kTellEnvironment = "env | grep ^AZLOCK_ | sort > \"$0/env\"";

// A variable of the command; "unset" if it has none of that name.
std::string told_to_command(const LockedRunRig& rig, const std::string& name, const std::string& file = "env") {
    const std::string text = "\n" + rig.written(file);
    const std::size_t at = text.find("\n" + name + "=");
    if (at == std::string::npos) return "unset";
    const std::size_t from = at + name.size() + 2;
    return text.substr(from, text.find('\n', from) - from);
}

const std::string kUrl = std::string("http://127.0.0.1:10000/") + test::kRigAccount + "/box/name";

}  // namespace

TEST_CASE("the command is told which lock it runs under, and the record says who holds it") {
    LockedRunRig rig(kTellEnvironment);
    std::string lease;
    std::string owner;
    rig.on_start = [&] {
        const auto view = rig.service.peek("box", "name").value();
        lease = view.lease_id;
        owner = view.metadata.at("azl_owner");
    };
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::ran);
    CHECK(end.held);
    CHECK(owner == "deploy");
    CHECK(told_to_command(rig, "AZLOCK_NAME") == "name");
    CHECK(told_to_command(rig, "AZLOCK_URL") == kUrl);
    CHECK(told_to_command(rig, "AZLOCK_LEASE_ID") == lease);
    CHECK(told_to_command(rig, "AZLOCK_SLOT") == "0");
    CHECK(told_to_command(rig, "AZLOCK_FENCE") == std::to_string(rig.started.at(0).fence.value()));
    CHECK(told_to_command(rig, "AZLOCK_KEEPER").starts_with("azlock-"));
    CHECK(rig.outcomes == std::vector<std::string>{"ran"});
    CHECK(rig.state() == "available");
    CHECK(!command_may_run(rig.service.peek("box", "name")->metadata));
}

TEST_CASE("the command of one of several slots gets no fence") {
    LockedRunRig rig(kTellEnvironment);
    rig.options.blobs.slots = 2;
    REQUIRE(rig.run().kind == Kind::ran);
    const std::string other = told_to_command(rig, "AZLOCK_SLOT") == "0" ? "name" : "name.azlock.1";
    rig.taken_by_peer(other);
    REQUIRE(rig.run().kind == Kind::ran);
    CHECK(told_to_command(rig, "AZLOCK_FENCE") == "unset");
    CHECK(told_to_command(rig, "AZLOCK_SLOT") == (other == "name" ? "1" : "0"));
    CHECK(told_to_command(rig, "AZLOCK_URL") == (other == "name" ? kUrl + ".azlock.1" : kUrl));
}

TEST_CASE("inside the same lock a run takes no lease, and leaves that of the outer run") {
    LockedRunRig rig(kTellEnvironment);
    rig.service.put("box", "name", "");
    const std::string lease = rig.peer.client().acquire_lease({"box", "name", {}}, 60, {}, {}, {})->lease_id;
    AnsweringKeeper keeper(lease, {true, rig.clock.after(std::chrono::hours(1))});
    const auto go_inside = [&](const std::string& address) {
        for (const std::string& change : lock_environment({}, {"name", kUrl, lease, "17", 0, address})) {
            const std::size_t equals = change.find('=');
            rig.environment.set(change.substr(0, equals).c_str(), change.substr(equals + 1));
        }
    };
    go_inside(keeper.address());
    SECTION("it runs") {
        const LockedRunEnd end = rig.run();
        CHECK(end.kind == Kind::ran);
        CHECK(!end.held);
        CHECK(rig.started.at(0).fence == 17);
        CHECK(told_to_command(rig, "AZLOCK_LEASE_ID") == lease);
        CHECK(rig.state() == "leased");
        CHECK(rig.faulty.requests() == 1);  // a renew
    }
    SECTION("the outer lock is lost: the command does not run, and neither does the one for a loss") {
        rig.options.on_lost = "touch '" + rig.dir.file("hook") + "'";
        rig.broken_by_peer();
        const LockedRunEnd end = rig.run();
        CHECK(end.kind == Kind::lost);
        REQUIRE(end.error);
        CHECK(end.error->lost);
        CHECK(end.error->message.find("the outer lock name was lost: ") == 0);
        CHECK(rig.dir.names().empty());
    }
    SECTION("nobody knows whether it is lost: an error, and the command does not run") {
        rig.faulty.on(lease_action("renew")).from(1).fail_before();
        const BootTime begun = rig.clock.now();
        const LockedRunEnd end = rig.run();
        CHECK(end.kind == Kind::refused);
        CHECK(end.error->code == ErrorCode::unavailable);
        CHECK(rig.dir.names().empty());
        CHECK(rig.clock.now() - begun > seconds(50));
        CHECK(rig.clock.now() - begun <= seconds(60));
    }
    SECTION("the service does not answer for a while: it runs as soon as the lease is renewed") {
        rig.faulty.on(lease_action("renew")).nth(1, 12).fail_before();
        CHECK(rig.run().kind == Kind::ran);
        CHECK(rig.started.size() == 1);
    }
    SECTION("the outer lock is lost while the service does not answer: its azlock says so") {
        rig.faulty.on(lease_action("renew")).from(1).fail_before();
        rig.on_tell = [&](const std::string&) { keeper.say({}); };
        const LockedRunEnd end = rig.run();
        CHECK(end.kind == Kind::lost);
        CHECK(rig.dir.names().empty());
    }
    SECTION("the azlock that keeps it is silent for a while: it is asked again, and believed") {
        rig.options.keeper_patience = std::chrono::milliseconds(20);
        keeper.be_silent(true);
        rig.on_tell = [&](const std::string& text) {
            if (text.ends_with("does not answer; azlock asks it again")) {
                keeper.be_silent(false);
            }
        };
        CHECK(rig.run().kind == Kind::ran);
        CHECK(told_to_command(rig, "AZLOCK_LEASE_ID") == lease);
        CHECK(rig.told.find("not believed") == std::string::npos);
    }
    SECTION("the azlock that keeps it stays silent: busy, when the time of -w is over") {
        rig.options.keeper_patience = std::chrono::milliseconds(20);
        keeper.be_silent(true);
        WaitPlan plan;
        plan.until = rig.clock.after(seconds(3));
        const LockedRunEnd end = rig.run(plan);
        CHECK(end.error->code == ErrorCode::busy);
        CHECK(rig.clock.now() == plan.until);
        CHECK(rig.faulty.requests() == 0);
    }
    SECTION("no azlock keeps it for this process: it waits for the lock") {
        go_inside("azlock-no-such-keeper");
        WaitPlan never;
        never.never = true;
        CHECK(rig.run(never).error->code == ErrorCode::busy);
    }
    SECTION("without reentrance it waits for the lock") {
        rig.options.reentrant = false;
        WaitPlan never;
        never.never = true;
        CHECK(rig.run(never).error->code == ErrorCode::busy);
        CHECK(rig.outcomes == std::vector<std::string>{"busy"});
    }
}

TEST_CASE("a lease that is lost before the command starts is acquired again") {
    LockedRunRig rig;
    rig.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] { rig.broken_by_peer(); });
    CHECK(rig.run().kind == Kind::ran);
    CHECK(rig.told.find("the lease was lost before the command started; azlock tries again\n") == 0);
    CHECK(rig.started.size() == 1);
    CHECK(rig.state() == "available");
}

TEST_CASE("after a pause longer than the lease, before the command starts, the lock is acquired again") {
    LockedRunRig rig;
    rig.faulty.on("Set Blob Metadata").nth(1).afterwards([&] { rig.clock.advance(seconds(61)); });
    CHECK(rig.run().kind == Kind::ran);
    CHECK(rig.told.find("the lease was lost before the command started; azlock tries again\n") == 0);
    CHECK(rig.started.size() == 1);
    CHECK(rig.state() == "available");
}

TEST_CASE("if the record cannot be written the command does not run, and the lock is free") {
    LockedRunRig rig;
    rig.faulty.on("Set Blob Metadata").nth(1).return_status(403, "AuthorizationPermissionMismatch");
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::refused);
    CHECK(end.error->code == ErrorCode::auth);
    CHECK(rig.started.empty());
    CHECK(rig.state() == "available");
}

TEST_CASE("the command waits until a silent holder's command has ended for sure, unless that is too long for -w") {
    LockedRunRig rig("exit 4");
    OwnerRecord silent;
    silent.owner = "somebody";
    silent.ttl = seconds(60);
    const auto holder = [&] { return look_at_lease(rig.peer.client(), {"box", "name", {}}, {})->holder(); };
    silent.kill_after = seconds(10);
    rig.service.put("box", "name", "");
    rig.taken_by_peer();
    const auto lease = rig.service.peek("box", "name")->lease_id;
    azure::Conditions with_lease;
    with_lease.lease_id = lease;
    REQUIRE(rig.peer.client().set_metadata({"box", "name", {}}, with_owner_record({}, silent), with_lease, {}));
    rig.broken_by_peer();
    const BootTime begun = rig.clock.now();
    WaitPlan plan;
    SECTION("it waits") {
        std::string held_by;
        rig.on_tell = [&](const std::string&) { held_by = holder(); };
        CHECK(rig.run(plan).session.wait_status == 4 << 8);
        CHECK(rig.told.find("the former holder has not said that its command has ended; azlock waits ") == 0);
        CHECK(rig.clock.now() - begun > seconds(15));
        CHECK(rig.state() == "available");
        CHECK(held_by.find("deploy for 0 s, in quarantine until ") == 0);
        CHECK(held_by.ends_with(": the command of the former holder, somebody, may still run"));
    }
    SECTION("a pause longer than the lease: it has expired meanwhile, and is acquired again") {
        rig.on_tell = [&](const std::string& text) {
            if (text.find("azlock waits ") != std::string::npos) rig.clock.advance(seconds(61));
        };
        CHECK(rig.run(plan).session.wait_status == 4 << 8);
        CHECK(rig.told.find("the lease was lost before the command started; azlock tries again\n") !=
              std::string::npos);
        CHECK(rig.state() == "available");
    }
    SECTION("-w") {
        plan.until = rig.clock.after(seconds(15));
        const LockedRunEnd end = rig.run(plan);
        CHECK(end.error->code == ErrorCode::busy);
        CHECK(rig.clock.now() - begun < seconds(15));
        CHECK(rig.started.empty());
        CHECK(rig.state() == "leased");  // so that the next one waits, too
        CHECK(holder().find("deploy for ") == 0);
        CHECK(holder().find("in quarantine until ") != std::string::npos);
    }
}

TEST_CASE("a slot in a quarantine that is too long for -w: the other slots are waited for as long as -w says") {
    LockedRunRig rig;
    rig.options.blobs.slots = 2;
    REQUIRE(rig.run().kind == Kind::ran);
    rig.taken_by_peer();
    rig.broken_by_peer();
    REQUIRE(rig.peer.client().put_blob({"box", "name.azlock.1", {}}, http::make_body(""), {}, {}));
    rig.taken_by_peer("name.azlock.1");
    const BootTime begun = rig.clock.now();
    WaitPlan plan;
    SECTION("one is free in time") {
        plan.until = rig.clock.after(seconds(25));
        CHECK(rig.run(plan).kind == Kind::ran);
        CHECK(rig.started.back().slot == 1);
    }
    SECTION("none is") {
        plan.until = rig.clock.after(seconds(12));
        CHECK(rig.run(plan).error->code == ErrorCode::busy);
        CHECK(rig.clock.now() - begun > seconds(11));
        CHECK(rig.clock.now() - begun <= seconds(12));
    }
    SECTION("without waiting it ends at once") {
        plan.never = true;
        CHECK(rig.run(plan).error->code == ErrorCode::busy);
        CHECK(rig.clock.now() - begun < seconds(1));
    }
    CHECK(rig.state() == "leased");  // so that the next one waits, too
}

TEST_CASE("a signal before the command starts: it does not start, and the lock is free") {
    LockedRunRig rig;
    SECTION("before the lock is acquired") {
        rig.signals.send(SIGTERM);
        const LockedRunEnd end = rig.run();
        CHECK(end.kind == Kind::refused);
        CHECK(end.error->code == ErrorCode::cancelled);
    }
    SECTION("when the lock is held") {
        rig.faulty.on("Set Blob Metadata").nth(1).afterwards([&] { rig.signals.send(SIGTERM); });
        const LockedRunEnd end = rig.run();
        CHECK(end.kind == Kind::signalled);
        CHECK(end.session.signal == SIGTERM);
        CHECK(rig.state() == "available");
    }
    CHECK(rig.outcomes == std::vector<std::string>{"signalled"});
    CHECK(rig.started.empty());
}

TEST_CASE("a lock that was lost while the command ran: its own result counts no more, and --on-lost runs") {
    LockedRunRig rig("exit 0");
    rig.options.on_lost = "env | grep ^AZLOCK_ > '" + rig.dir.file("hook") + "'; exit 7";
    rig.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
        rig.broken_by_peer();
        rig.taken_by_peer();
    });
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::lost);
    CHECK(end.error->lost);
    CHECK(rig.outcomes == std::vector<std::string>{"lost"});
    CHECK(told_to_command(rig, "AZLOCK_NAME", "hook") == "name");
    CHECK(told_to_command(rig, "AZLOCK_LEASE_ID", "hook") == "unset");
    CHECK(told_to_command(rig, "AZLOCK_HELD", "hook") == "unset");
    CHECK(rig.told == "--on-lost ended with code 7\n");
    CHECK(rig.state() == "leased");
}

TEST_CASE("a signal while --on-lost runs ends the waiting, and only then the run's end is told") {
    LockedRunRig rig("exit 0");
    rig.options.on_lost = "cd '" + rig.dir.path() + "'; touch begun; until [ -e go ]; do sleep 0.02; done; touch over";
    rig.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
        rig.broken_by_peer();
        rig.taken_by_peer();
    });
    const auto exists = [&](const char* name) { return std::filesystem::exists(rig.dir.file(name)); };
    std::jthread sender([&] {
        test::must(eventually([&] { return exists("begun"); }));
        rig.signals.send(SIGTERM);
    });
    rig.on_end = [&] { CHECK(exists("begun")); };
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::signalled);
    CHECK(exit_code_of(end, {}) == 128 + SIGTERM);
    CHECK(end.error->lost);
    CHECK(rig.started.back().outcome == "lost");
    CHECK(rig.outcomes == std::vector<std::string>{"lost"});
    CHECK(rig.told == "stopped by a signal; the command of --on-lost goes on\n");
    CHECK(!exists("over"));
    sender.join();
    (void)rig.dir.write("go", "");
    CHECK(eventually([&] { return exists("over"); }));
}

TEST_CASE("a lock that cannot be released ends by itself, and the command's result counts") {
    LockedRunRig rig;
    rig.faulty.on(lease_action("release")).from(1).fail_before();
    BootTime begun{};
    rig.on_start = [&] { begun = rig.clock.now(); };
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::ran);
    CHECK(end.session.wait_status == 3 << 8);
    CHECK(rig.told.find("could not release the lock: ") == 0);
    CHECK(rig.told.find("; if it is still ours, it ends by itself within 5") != std::string::npos);
    CHECK(rig.clock.now() - begun <= seconds(5));
    CHECK(rig.state() == "leased");
}

TEST_CASE("inside a lock with slots another number of slots is refused") {
    LockedRunRig rig;
    rig.service.put("box", "name", "");
    const std::string lease = rig.peer.client().acquire_lease({"box", "name", {}}, 60, {}, {}, {})->lease_id;
    AnsweringKeeper keeper(lease, {true, rig.clock.after(std::chrono::hours(1))});
    const HeldEntry outer{"name", kUrl, lease, "", 0, keeper.address(), 4};
    for (const std::string& change : lock_environment({}, outer)) {
        const std::size_t equals = change.find('=');
        if (equals != std::string::npos)
            rig.environment.set(change.substr(0, equals).c_str(), change.substr(equals + 1));
    }
    rig.options.blobs.slots = 2;
    const LockedRunEnd end = rig.run();
    REQUIRE(end.error);
    CHECK(end.error->code == ErrorCode::usage);
    CHECK(end.error->message.find("has 4 slots, not 2") != std::string::npos);
    CHECK(rig.started.empty());
    rig.options.blobs.slots = 4;
    CHECK(rig.run().kind == Kind::ran);
}

}  // namespace azlock::ops
