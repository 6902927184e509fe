// lock-check, as a user types it.
#include "unit/answering_keeper.hpp"
#include "unit/cli/commands/lock/lock_command_rig.hpp"

namespace azlock::test {

TEST_CASE("lock-check tells whether the lock still holds") {
    LockCommandRig rig;
    SECTION("not under a lock: 64") {
        check_failure(rig, {"lock-check"}, 64, "usage");
    }
    SECTION("held, and lost") {
        rig.service.put("locks", "deploy", "");
        Actor peer(rig.service, rig.clock(), 3);
        const auto held = peer.client().acquire_lease({"locks", "deploy", {}}, 60, {}, {}, {}).value();
        rig.environment.set("AZLOCK_URL", std::string("http://127.0.0.1:10000/") + kRigAccount + "/locks/deploy");
        rig.environment.set("AZLOCK_NAME", "deploy");
        rig.environment.set("AZLOCK_LEASE_ID", held.lease_id);
        check_failure_text(rig, {"lock-check"}, 122, "no azlock keeps it for this process");
        const AnsweringKeeper keeper(held.lease_id, {true, rig.clock().after(std::chrono::seconds(100))});
        rig.environment.set("AZLOCK_KEEPER", keeper.address());
        CHECK(rig.run({"lock-check"}).code == 0);
        CHECK(rig.run_json({"lock-check"}).json().at("held") == true);
        REQUIRE(peer.client().release_lease({"locks", "deploy", {}}, held.lease_id, {}, {}));
        check_failure(rig, {"lock-check"}, 122, "precondition");
        check_failure_text(rig, {"lock-check"}, 122, "the lock deploy is lost: ");
    }
}

TEST_CASE("lock-check says how long the command has at least") {
    LockCommandRig rig;
    rig.service.put("locks", "deploy", "");
    Actor peer(rig.service, rig.clock(), 3);
    rig.environment.set("AZLOCK_URL", std::string("http://127.0.0.1:10000/") + kRigAccount + "/locks/deploy");
    rig.environment.set("AZLOCK_NAME", "deploy");
    const std::string id = peer.client().acquire_lease({"locks", "deploy", {}}, 60, {}, {}, {}).value().lease_id;
    rig.environment.set("AZLOCK_LEASE_ID", id);
    const AnsweringKeeper keeper(id, {true, rig.clock().after(std::chrono::seconds(100))});
    rig.environment.set("AZLOCK_KEEPER", keeper.address());
    SECTION("the keeper tells the time") {
        CHECK(rig.run({"lock-check"}).err.starts_with("azlock: the lock deploy is held; the command has at least "));
        CHECK(rig.run({"lock-check", "--min-left", "1s"}).code == 0);
        CHECK(rig.run_json({"lock-check", "--min-left", "1s"}).json().at("left_ms") > 1000);
        const Ran shorter = rig.run_json({"lock-check", "--min-left", "200s"});
        CHECK(shorter.code == 73);
        CHECK(shorter.json().at("held") == true);
        CHECK(shorter.error().at("code") == "precondition");
    }
    SECTION("the credential is refused: 77") {
        check_refused(rig, {"lock-check"});
    }
    SECTION("there is no connection: 69") {
        check_unavailable(rig, {"lock-check"});
    }
}

TEST_CASE("lock-check takes no longer than --min-left, and 30 s at most") {
    CommandRig rig;
    rig.environment.set("AZLOCK_URL", std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/data");
    rig.environment.set("AZLOCK_NAME", "deploy");
    const std::string lease = rig.lease("data");
    rig.environment.set("AZLOCK_LEASE_ID", lease);
    const AnsweringKeeper keeper(lease, {true, rig.fake_clock.after(std::chrono::hours(1))});
    rig.environment.set("AZLOCK_KEEPER", keeper.address());
    const BootTime start = rig.fake_clock.now();
    SECTION("no answer") {
        rig.faulty.on(any_request()).from(1).stall(false);
    }
    SECTION("asked to come back later") {
        rig.faulty.on(any_request()).from(1).return_status(503, "ServerBusy", std::chrono::seconds(60));
    }
    CHECK(rig.run({"lock-check", "--min-left", "5s"}).code == 69);
    CHECK(rig.fake_clock.now() - start <= std::chrono::seconds(5));
    CHECK(rig.run({"lock-check"}).code == 69);
    CHECK(rig.fake_clock.now() - start <= std::chrono::seconds(35));
}

}  // namespace azlock::test
