// What a session orders its guard to do, and what it makes of a guard that cannot do it.
#include <algorithm>
#include <csignal>

#include "http/transport_error.hpp"
#include "ops/lock/lock_order.hpp"
#include "support/catch.hpp"
#include "unit/ops/lock/locked_run_rig.hpp"
#include "unit/played_guard.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using Kind = LockedRunEnd::Kind;
using test::lease_action;
using test::LockedRunRig;
using test::PlayedGuard;

constexpr int kCommand = 4'000'000;

// A guard whose command runs until it is told to end.
struct PlayedRig : LockedRunRig {
    explicit PlayedRig(std::function<void(PlayedGuard& guard, const os::Order& order)> play)
        : played([play = std::move(play)](PlayedGuard& guard, const os::Order& order) {
              if (order.kind == os::Order::Kind::start) guard.report(os::Report::Kind::started, kCommand);
              play(guard, order);
          }) {
        guards.front() = played.side_of_azlock();
    }
    [[nodiscard]] int exit_code(const LockedRunEnd& end) const {
        return exit_code_of(end, {{}, [](const Error& error) { return error.lost ? 122 : 1; }});
    }

    PlayedGuard played;
};

}  // namespace

TEST_CASE("a command that cannot be ended: azlock says so, ends, and does not release the lock") {
    PlayedRig rig([](PlayedGuard& guard, const os::Order& order) {
        if (order.kind == os::Order::Kind::end) guard.report(os::Report::Kind::cannot_end, 2);
    });
    int code = 122;
    std::string why = "processes of the command cannot be ended";
    SECTION("when --run-timeout has passed") {
        rig.options.run_timeout = seconds(2);
        rig.on_start = [&] { rig.clock.advance(seconds(3)); };
        code = 124;
        why.clear();
    }
    SECTION("after a second TERM") {
        rig.on_start = [&] {
            rig.signals.send(SIGTERM);
            rig.signals.send(SIGTERM);
        };
    }
    SECTION("after a loss") {
        rig.faulty.on(lease_action("renew")).nth(1).meanwhile([&] { rig.broken_by_peer(); });
        rig.on_start = [&] { rig.clock.advance(rig.options.timing.renew_every() * 11 / 10); };
        why = "the lease";
    }
    const LockedRunEnd end = rig.run();
    CHECK(!end.session.nothing_left);
    CHECK(rig.exit_code(end) == code);
    if (code == 122) {
        REQUIRE(end.error);
        CHECK(end.error->message.find("the lock name was lost: " + why) == 0);
        CHECK(end.error->message.find("the command was ended") == std::string::npos);
    }
    CHECK(rig.told.find("2 processes cannot be ended: they belong to another user\n") != std::string::npos);
    CHECK(rig.told.find("some processes of the command still run: azlock does not release the lock") !=
          std::string::npos);
    CHECK(rig.done("Set Blob Metadata") == 1);  // the record does not say that the command has ended
    CHECK(rig.state() != "available");
}

TEST_CASE("while the lease is checked nothing of the command runs, not even to end itself") {
    PlayedRig rig([](PlayedGuard& guard, const os::Order& order) {
        if (order.kind == os::Order::Kind::end) {
            guard.report(os::Report::Kind::exited, SIGTERM);
            guard.report(os::Report::Kind::gone);
        }
    });
    rig.options.run_timeout = seconds(25);
    rig.on_start = [&] { rig.clock.advance(seconds(20)); };  // a pause
    rig.faulty.on(lease_action("renew"))
        .nth(1)
        .with("no answer", [&](const test::FaultCall&) -> Result<http::Response> {
            rig.clock.advance(seconds(6));
            return fail(http::timeout_error("no answer"));
        });
    rig.on_tell = [&](const std::string& text) {
        if (text.starts_with("cannot renew the lease")) rig.clock.advance(std::chrono::milliseconds(500));
    };
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::timed_out);
    const auto orders = rig.played.orders();
    const auto at = [&](os::Order::Kind kind) {
        return std::find(orders.begin(), orders.end(), kind) - orders.begin();
    };
    CHECK(at(os::Order::Kind::freeze) < at(os::Order::Kind::thaw));
    CHECK(at(os::Order::Kind::thaw) < at(os::Order::Kind::end));
    CHECK(rig.state() == "available");
}

TEST_CASE("after a pause the lock's blob has another version before anything of the command runs") {
    // Somebody who saw the lock free in the pause would acquire the version that he saw, without a quarantine.
    std::function<void()> on_freeze;
    std::function<void()> on_thaw;
    PlayedRig rig([&](PlayedGuard& guard, const os::Order& order) {
        if (order.kind == os::Order::Kind::freeze) on_freeze();
        if (order.kind != os::Order::Kind::thaw) return;
        on_thaw();
        guard.report(os::Report::Kind::exited, 0);
        guard.report(os::Report::Kind::gone);
    });
    std::string frozen;
    std::string thawed;
    const auto etag = [&] { return rig.service.peek("box", "name")->etag; };
    on_freeze = [&] { frozen = etag(); };
    on_thaw = [&] { thawed = etag(); };
    rig.on_start = [&] { rig.clock.advance(std::chrono::minutes(10)); };  // a pause
    const LockedRunEnd end = rig.run();
    CHECK(end.kind == Kind::ran);
    CHECK(!frozen.empty());
    CHECK(!thawed.empty());
    CHECK(thawed != frozen);
}

}  // namespace azlock::ops
