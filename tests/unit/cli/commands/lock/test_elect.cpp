// elect, as a user types it.
#include <thread>

#include <sys/stat.h>

#include "unit/cli/commands/lock/lock_command_rig.hpp"
#include "unit/eventually.hpp"

namespace azlock::test {

TEST_CASE("elect runs the command as leader") {
    LockCommandRig rig;
    SECTION("--once: the command's own code") {
        CHECK(rig.run({"elect", "boss", "--once", "--", "sh", "-c", "exit 4"}).code == 4);
        CHECK(rig.lease_state("locks", "boss") == "available");
    }
    SECTION("a command that does not exist ends the candidacy: 127") {
        check_failure(rig, {"elect", "boss", "--", "/no/such/command"}, 127, "input_missing");
        check_failure_text(rig, {"elect", "boss", "--", "/no/such/command"}, 127, "cannot run '/no/such/command'");
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
    SECTION("--observe prints a leader with its record") {
        CHECK(rig.run({"elect", "boss", "--once", "--id", "first", "--", "true"}).code == 0);
        Actor peer(rig.service, rig.clock(), 3);
        auto running = rig.service.peek("locks", "boss")->metadata;
        running.erase("azl_ended");
        REQUIRE(peer.client().set_metadata({"locks", "boss", {}}, {running.begin(), running.end()}, {}, {}));
        REQUIRE(peer.client().acquire_lease({"locks", "boss", {}}, 60, {}, {}, {}));
        CHECK(rig.run({"elect", "boss", "--observe", "--timeout", "100ms"}).out.starts_with("first@"));
        const auto json = rig.run_json({"elect", "boss", "--observe", "--timeout", "100ms"}).json();
        CHECK(json.at("leader").at("owner") == "first");
        CHECK(json.at("leader").at("pid") == ::getpid());
    }
    SECTION("there is no connection: 69") {
        check_unavailable(rig, {"elect", "boss", "--once", "--", "true"});
    }
    SECTION("the credential is refused: 77") {
        check_refused(rig, {"elect", "boss", "--", "true"});
    }
}

TEST_CASE("a candidate competes again after its term, until a signal ends the candidacy") {
    LockCommandRig rig;
    const std::string terms = rig.dir.file("terms");
    SECTION("in a term: the signal goes to the command, and there is no further term") {
        const std::string command = "echo \"$AZLOCK_FENCE\" >> '" + terms + "'; test $(wc -l < '" + terms +
                                    "') = 1 && exit 3; " + signal_azlock("TERM") + "; sleep 60";
        const Ran ran = rig.run({"elect", "boss", "--", "sh", "-c", command});
        INFO(ran.err);
        CHECK(ran.code == 143);
        CHECK(ran.err.find("the command ended with code 3 after ") != std::string::npos);
        const std::string fences = read_text_file(terms);
        const std::size_t first = fences.find('\n');
        REQUIRE(first != std::string::npos);
        CHECK(std::stoull(fences) < std::stoull(fences.substr(first + 1)));
        CHECK(fences.find('\n', first + 1) + 1 == fences.size());
    }
    SECTION("between two terms: no further term") {
        std::jthread later;
        rig.faulty.on(lease_action("release")).nth(1).afterwards([&] {
            later = std::jthread([] {
                must(eventually([] { return said_so_far().find("a candidate again in") != std::string::npos; }));
                ::kill(::getpid(), SIGTERM);
            });
        });
        const Ran ran = rig.run({"elect", "boss", "--", "sh", "-c", "echo x >> '" + terms + "'"});
        CHECK(ran.code == 143);
        CHECK(ran.err.find("stopped by a signal between two terms") != std::string::npos);
        CHECK(read_text_file(terms) == "x\n");
    }
    CHECK(rig.lease_state("locks", "boss") == "available");
}

TEST_CASE("elect refuses what a candidate cannot have: 64") {
    LockCommandRig rig;
    check_failure(rig, {"elect", "boss", "--orphans", "leave", "--", "true"}, 64, "usage");
    check_failure(rig, {"elect", "boss", "--id", "", "--", "true"}, 64, "usage");
    check_failure_text(rig, {"elect", "boss"}, 64, "no command was given");
    CHECK(!rig.service.peek("locks", "boss"));
}

TEST_CASE("a lost term runs --on-lost at once, and another term follows") {
    LockCommandRig rig;
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

}  // namespace azlock::test
