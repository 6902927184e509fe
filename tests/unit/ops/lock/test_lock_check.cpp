// The check of the lock that this process runs under.
#include "ops/lock/lock_check.hpp"
#include "support/catch.hpp"
#include "unit/answering_keeper.hpp"
#include "unit/environment.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::why;

// This process runs under the lock "deploy" at box/data, until it is released.
struct Locked : test::Rig {
    Locked() {
        service.put("box", "data", "");
        id = peer.client().acquire_lease(blob, 60, {}, {}, {}).value().lease_id;
        environment.set("AZLOCK_URL", "http://host/box/data");
        environment.set("AZLOCK_NAME", "deploy");
        environment.set("AZLOCK_LEASE_ID", id);
        environment.set("AZLOCK_FENCE", "17");
        keeper.emplace(id, KeeperAnswer{true, clock.after(seconds(20))});
        environment.set("AZLOCK_KEEPER", keeper->address());
    }
    Result<LockCheck> check(std::optional<milliseconds> min_left = {}) {
        const auto open = [&](const std::string& url) -> Result<LockPlace> {
            opened = url;
            return LockPlace{us.client(), blob};
        };
        return check_lock(open, min_left, {});
    }

    test::Environment environment;
    std::string id;
    std::string opened;
    std::optional<test::AnsweringKeeper> keeper;
};

}  // namespace

TEST_CASE("a lock whose lease can be renewed is held") {
    Locked l;
    const auto check = l.check();
    INFO(why(check));
    REQUIRE(check);
    CHECK(l.opened == "http://host/box/data");
    CHECK(check->lock.name == "deploy");
    CHECK(check->lock.fence == "17");
    CHECK(check->left == seconds(20));
    CHECK(check->enough);
}

TEST_CASE("a lock whose lease is refused is lost, and one that cannot be asked is not") {
    Locked l;
    SECTION("released") {
        REQUIRE(l.peer.client().release_lease(l.blob, l.id, {}, {}));
        const auto check = l.check();
        REQUIRE(!check);
        CHECK(check.error().lost);
        CHECK(check.error().code == ErrorCode::precondition);
        CHECK(check.error().message.starts_with("the lock deploy is lost: "));
    }
    SECTION("no answer") {
        l.faulty.on(test::any_request()).from(1).fail_before();
        const auto check = l.check();
        REQUIRE(!check);
        CHECK(!check.error().lost);
        CHECK(check.error().code == ErrorCode::unavailable);
    }
    SECTION("the keeper lives, but does not answer") {
        l.keeper->be_silent(true);
        const auto check = l.check(milliseconds(20));
        REQUIRE(!check);
        CHECK(!check.error().lost);
        CHECK(check.error().code == ErrorCode::unavailable);
        CHECK(l.opened.empty());
    }
    SECTION("the keeper says so") {
        l.keeper->say({});
        const auto check = l.check();
        REQUIRE(!check);
        CHECK(check.error().lost);
        CHECK(l.opened.empty());
    }
    SECTION("no lock: nothing is opened") {
        l.environment.set("AZLOCK_LEASE_ID", "");
        CHECK(l.check().error().code == ErrorCode::usage);
        CHECK(l.opened.empty());
    }
}

TEST_CASE("a lease that no azlock keeps for this process is lost, and is not revived by a renew") {
    Locked l;
    SECTION("the keeper has ended") {
        l.keeper.reset();
    }
    SECTION("no keeper is named") {
        l.environment.set("AZLOCK_KEEPER", "");
    }
    SECTION("the keeper keeps another lease") {
        l.keeper.emplace("another-lease", KeeperAnswer{true, l.clock.after(seconds(20))});
        l.environment.set("AZLOCK_KEEPER", l.keeper->address());
    }
    l.clock.advance(seconds(61));
    const auto check = l.check();
    REQUIRE(!check);
    CHECK(check.error().lost);
    CHECK(check.error().message.find("no azlock keeps it for this process") != std::string::npos);
    CHECK(l.peer.client().get_properties(l.blob, {}, {}).value().properties.lease.state == "expired");
}

TEST_CASE("a demand for time left is met or not met") {
    Locked l;
    CHECK(l.check(seconds(20))->enough);
    const auto check = l.check(seconds(21));
    REQUIRE(check);
    CHECK(check->left == seconds(20));
    CHECK(check->enough.error().code == ErrorCode::precondition);
    CHECK(check->enough.error().message == "only 20 s left, not 21 s");
    l.keeper->say({true, l.clock.after(-seconds(1))});
    CHECK(l.check()->left == milliseconds(0));
}

}  // namespace azlock::ops
