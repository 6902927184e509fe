// lock, lock-check and elect, as a user types them.
#include <sys/stat.h>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

struct LockRig : CommandRig {
    LockRig() : CommandRig(Time::real) { service.make_container("locks"); }
};

}  // namespace

TEST_CASE("lock runs the command, and its code is azlock's") {
    LockRig rig;
    const std::string status = rig.dir.file("status.json");
    SECTION("success: the lock is released") {
        const Ran ran =
            rig.run({"lock", "deploy", "--status-file", status, "--", "sh", "-c", "test \"$AZLOCK_NAME\" = deploy"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(rig.lease_state("locks", "deploy") == "available");
        const auto json = nlohmann::json::parse(read_text_file(status));
        CHECK(json.at("outcome") == "ran");
        CHECK(json.at("exit_code") == 0);
        CHECK(json.at("command").at("exit_code") == 0);
    }
    SECTION("the command's own code") {
        CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", "exit 7"}).code == 7);
    }
    SECTION("a signal: 128+N") {
        CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", "kill -USR1 $$"}).code == 138);
    }
    SECTION("a command that does not exist: 127") {
        const Ran ran = rig.run_json({"lock", "deploy", "--status-file", status, "--", "/no/such/command"});
        CHECK(ran.code == 127);
        CHECK(ran.error().at("code") == "input_missing");
        CHECK(nlohmann::json::parse(read_text_file(status)).at("outcome") == "not_started");
        CHECK(rig.lease_state("locks", "deploy") == "available");
    }
    SECTION("no command: 64") {
        check_failure(rig, {"lock", "deploy"}, 64, "usage");
    }
    SECTION("--run-timeout: 124") {
        CHECK(rig.run({"lock", "deploy", "--run-timeout", "100ms", "--", "sleep", "60"}).code == 124);
    }
}

TEST_CASE("a lock that somebody else holds: 75, who it is, and the command does not run") {
    LockRig rig;
    Actor peer(rig.service, rig.clock(), 3);
    rig.service.put("locks", "deploy", "");
    REQUIRE(peer.client().acquire_lease({"locks", "deploy", {}}, 60, {}, {}, {}));
    const std::string proof = rig.dir.file("ran");
    SECTION("-n") {
        check_failure(rig, {"lock", "-n", "deploy", "--", "touch", proof}, 75, "busy");
        check_failure_text(rig, {"lock", "-n", "deploy", "--", "touch", proof}, 75, "the lock deploy is held by");
    }
    SECTION("-E") {
        CHECK(rig.run({"lock", "-n", "-E", "9", "deploy", "--", "touch", proof}).code == 9);
    }
    CHECK(rig.dir.names().empty());
}

TEST_CASE("before the command starts, a lock fails with azlock's own codes") {
    LockRig rig;
    SECTION("the credential is refused: 77") {
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        check_failure(rig, {"lock", "deploy", "--", "true"}, 77, "auth");
    }
    SECTION("no connection: 69") {
        rig.faulty.on(any_request()).from(1).fail_before();
        check_failure(rig, {"lock", "-n", "deploy", "--retries", "0", "--", "true"}, 69, "unavailable");
    }
    SECTION("times that do not fit together: 64") {
        check_failure(rig, {"lock", "deploy", "--ttl", "14s", "--", "true"}, 64, "usage");
    }
}

TEST_CASE("lock-check tells whether the lock still holds") {
    LockRig rig;
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
        CHECK(rig.run({"lock-check"}).code == 0);
        CHECK(rig.run_json({"lock-check"}).json().at("held") == true);
        check_failure_text(rig, {"lock-check", "--min-left", "1s"}, 69, "cannot tell");
        REQUIRE(peer.client().release_lease({"locks", "deploy", {}}, held.lease_id, {}, {}));
        check_failure(rig, {"lock-check"}, 122, "precondition");
    }
}

TEST_CASE("elect runs the command as leader") {
    LockRig rig;
    SECTION("--once: the command's own code") {
        CHECK(rig.run({"elect", "boss", "--once", "--", "sh", "-c", "exit 4"}).code == 4);
        CHECK(rig.lease_state("locks", "boss") == "available");
    }
    SECTION("a command that does not exist ends the candidacy: 127") {
        CHECK(rig.run({"elect", "boss", "--", "/no/such/command"}).code == 127);
    }
    SECTION("--observe runs no command: 64") {
        check_failure(rig, {"elect", "boss", "--observe", "--", "true"}, 64, "usage");
    }
    SECTION("--observe prints who leads") {
        const Ran ran = rig.run({"elect", "boss", "--observe", "--timeout", "100ms"});
        CHECK(ran.code == 69);
        CHECK(ran.out == "nobody\n");
        CHECK(rig.run_json({"elect", "boss", "--observe", "--timeout", "100ms"}).json().at("leader") == nullptr);
    }
    SECTION("the credential is refused: 77") {
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        check_failure(rig, {"elect", "boss", "--", "true"}, 77, "auth");
    }
}

TEST_CASE("a lost term runs --on-lost at once, and another term follows") {
    LockRig rig;
    const std::string program = rig.dir.write("program", "#!/bin/sh\nsleep 60\n");
    REQUIRE(::chmod(program.c_str(), 0700) == 0);
    rig.faulty.on(lease_action("renew")).nth(1).meanwhile([&] {
        Actor peer(rig.service, rig.clock(), 3);
        REQUIRE(peer.client().break_lease({"locks", "boss", {}}, 0, {}, {}));
    });
    // The hook removes the program, so that the next term is the last one.
    const std::string hook = "echo \"$AZLOCK_NAME\" >> '" + rig.dir.file("lost") + "'; rm '" + program + "'";
    const Ran ran = rig.run(
        {"elect", "boss", "--ttl", "15s", "--kill-after", "1s", "--no-quarantine", "--on-lost", hook, "--", program});
    INFO(ran.err);
    CHECK(ran.code == 127);
    CHECK(read_text_file(rig.dir.file("lost")) == "boss\n");
    CHECK(ran.err.find("a candidate again in") != std::string::npos);
}

TEST_CASE("a lock that is lost while the command runs: 122, and the status file says so before --on-lost runs") {
    LockRig rig;
    const std::string status = rig.dir.file("status.json");
    rig.faulty.on(lease_action("renew")).nth(1).meanwhile([&] {
        Actor peer(rig.service, rig.clock(), 3);
        REQUIRE(peer.client().break_lease({"locks", "deploy", {}}, 0, {}, {}));
    });
    const Ran ran = rig.run({"lock", "deploy", "--ttl", "15s", "--kill-after", "1s", "--status-file", status,
                             "--on-lost", "cp '" + status + "' '" + rig.dir.file("seen") + "'", "--", "sleep", "60"});
    INFO(ran.err);
    CHECK(ran.code == 122);
    const auto seen = nlohmann::json::parse(read_text_file(rig.dir.file("seen")));
    CHECK(seen.at("outcome") == "lost");
    CHECK(seen.at("exit_code") == 122);
}

TEST_CASE("a command under a lock runs inside the same lock, from the shell, and in one of several slots") {
    LockRig rig;
    SECTION("-c") {
        CHECK(rig.run({"lock", "deploy", "-c", "exit 3"}).code == 3);
    }
    SECTION("a command that cannot be executed: 126") {
        CHECK(rig.run({"lock", "deploy", "--", rig.dir.write("no-program", "x")}).code == 126);
    }
    SECTION("--slots") {
        CHECK(rig.run({"lock", "pool", "--slots", "2", "-c", "test -z \"$AZLOCK_FENCE\""}).code == 0);
        check_failure(rig, {"lock", "pool", "--slots", "3", "-c", "true"}, 64, "usage");
    }
}

}  // namespace azlock::test
