// lock, as a user types it.
#include <sys/inotify.h>

#include "unit/cli/commands/lock/lock_command_rig.hpp"

namespace azlock::test {
namespace {

// Counts the files that are made in a folder: a file that is replaced is a new one each time.
class NewFiles {
  public:
    explicit NewFiles(const std::string& folder) : watch_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
        if (!watch_ || ::inotify_add_watch(watch_.get(), folder.c_str(), IN_CREATE) < 0) {
            throw std::runtime_error("inotify");
        }
    }
    [[nodiscard]] int count() {
        alignas(inotify_event) char events[4096];
        const ssize_t size = ::read(watch_.get(), events, sizeof events);
        int out = 0;
        for (ssize_t at = 0; at < size; ++out) {
            at +=
                static_cast<ssize_t>(sizeof(inotify_event)) + reinterpret_cast<const inotify_event*>(events + at)->len;
        }
        return out;
    }

  private:
    Fd watch_;
};

}  // namespace

TEST_CASE("a lock that somebody took while the command ran is lost, even if azlock learns it at the end") {
    LockCommandRig rig;
    const std::string status = rig.dir.file("status.json");
    rig.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
        Actor peer(rig.service, rig.clock(), 99);
        const azure::BlobAddress blob{"locks", "deploy", {}};
        REQUIRE(peer.client().break_lease(blob, 0, {}, {}));
        REQUIRE(peer.client().acquire_lease(blob, 15, {}, {}, {}));
    });
    const Ran ran = rig.run({"lock", "deploy", "--status-file", status, "--", "sh", "-c", "exit 3"});
    CHECK(ran.code == 122);
    CHECK(ran.err.find("took it while the command ran") != std::string::npos);
    CHECK(ran.err.find("the command was ended") == std::string::npos);
    const auto json = nlohmann::json::parse(read_text_file(status));
    CHECK(json.at("outcome") == "lost");
    CHECK(json.at("command").at("exit_code") == 3);
}

TEST_CASE("a lock that was broken while the command ran is lost, even if nobody took it") {
    LockCommandRig rig;
    rig.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
        Actor peer(rig.service, rig.clock(), 99);
        REQUIRE(peer.client().break_lease({"locks", "deploy", {}}, 0, {}, {}));
    });
    CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", "exit 3"}).code == 122);
    CHECK(rig.lease_state("locks", "deploy") == "available");
}

TEST_CASE("in a quarantine lock -n and a short -w are busy at once, and keep the lease until it has passed") {
    LockCommandRig rig;
    REQUIRE(rig.run({"lock", "deploy", "--", "true"}).code == 0);
    Actor peer(rig.service, rig.clock(), 99);
    const azure::BlobAddress blob{"locks", "deploy", {}};
    REQUIRE(peer.client().acquire_lease(blob, 15, {}, {}, {}));
    REQUIRE(peer.client().break_lease(blob, 0, {}, {}));
    const bool never = GENERATE(true, false);
    const Ran ran = never ? rig.run({"lock", "-n", "deploy", "--", "true"})
                          : rig.run({"lock", "-w", "20s", "deploy", "--", "true"});
    CHECK(ran.code == 75);
    CHECK(ran.err.find("has not said that its command has ended") != std::string::npos);
    CHECK(ran.err.find("azlock lease break --holder-is-dead locks/deploy\n") != std::string::npos);
    CHECK(rig.lease_state("locks", "deploy") == "leased");
}

TEST_CASE("lock runs the command, and its code is azlock's") {
    LockCommandRig rig;
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
        CHECK(json.at("command").at("signal") == nullptr);
    }
    SECTION("success says nothing, also with --json: standard output is the command's") {
        const std::vector<std::string> lock{"lock", "deploy", "--", "echo", "hello"};
        for (const Ran& ran : {rig.run(lock), rig.run_json(lock)}) {
            CHECK(ran.code == 0);
            CHECK(ran.out == "hello\n");
            CHECK(ran.err.empty());
        }
    }
    SECTION("the command's own code") {
        CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", "exit 7"}).code == 7);
    }
    SECTION("a signal: 128+N") {
        CHECK(rig.run({"lock", "deploy", "--status-file", status, "--", "sh", "-c", "kill -USR1 $$"}).code == 138);
        const auto command = nlohmann::json::parse(read_text_file(status)).at("command");
        CHECK(command.at("signal") == SIGUSR1);
        CHECK(command.at("exit_code") == nullptr);
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

TEST_CASE("the status file is written when azlock, the wait and the command begin, and at the end") {
    LockCommandRig rig;
    const std::string status = rig.dir.file("status.json");
    rig.faulty.on(lease_action("acquire")).nth(1).meanwhile([&] {
        CHECK(nlohmann::json::parse(read_text_file(status)).at("outcome") == "waiting");
    });
    NewFiles writes(rig.dir.path());
    CHECK(rig.run({"lock", "deploy", "--status-file", status, "--", "true"}).code == 0);
    CHECK(writes.count() == 4);  // starting, waiting, held, ran
}

TEST_CASE("a signal to azlock goes to the command, and ends a wait for the lock") {
    LockCommandRig rig;
    const std::string status = rig.dir.file("status.json");
    SECTION("the command decides what it does") {
        const std::string command = "trap 'exit 9' TERM; " + signal_azlock("TERM") + "; while :; do sleep 0.05; done";
        CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", command}).code == 9);
        CHECK(rig.lease_state("locks", "deploy") == "available");
    }
    SECTION("USR1, too") {
        const std::string command = "trap 'exit 8' USR1; " + signal_azlock("USR1") + "; while :; do sleep 0.05; done";
        CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", command}).code == 8);
    }
    SECTION("a command that leaves it to the default ends by it: 128+N") {
        CHECK(rig.run({"lock", "deploy", "-c", signal_azlock("HUP") + "; sleep 60"}).code == 129);
    }
    SECTION("a second TERM kills a command that ignores the first") {
        const std::string command = "trap ': > \"$0\"' TERM; " + signal_azlock("TERM") +
                                    "; until [ -e \"$0\" ]; do sleep 0.02; done; " + signal_azlock("TERM") +
                                    "; for i in $(seq 600); do sleep 0.05; done";
        CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", command, rig.dir.file("first")}).code == 137);
    }
    SECTION("while it waits: 128+N, and the command does not run") {
        rig.service.put("locks", "deploy", "");
        Actor peer(rig.service, rig.clock(), 3);
        REQUIRE(peer.client().acquire_lease({"locks", "deploy", {}}, 60, {}, {}, {}));
        rig.faulty.on("Get Blob Properties").nth(1).afterwards([] { ::kill(::getpid(), SIGTERM); });
        const Ran ran = rig.run_json({"lock", "deploy", "--status-file", status, "--", "touch", rig.dir.file("ran")});
        CHECK(ran.code == 143);
        CHECK(ran.error().at("code") == "cancelled");
        const auto json = nlohmann::json::parse(read_text_file(status));
        CHECK(json.at("outcome") == "signalled");
        CHECK(json.at("exit_code") == 143);
        CHECK(rig.dir.names() == std::vector<std::string>{"status.json"});
    }
}

TEST_CASE("a lock that somebody else holds: 75, who it is, and the command does not run") {
    LockCommandRig rig;
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
    SECTION("-E 0: no failure, and the message and the status file tell what happened") {
        const Ran ran =
            rig.run({"lock", "-n", "-E", "0", "--status-file", rig.dir.file("status"), "deploy", "--", "touch", proof});
        CHECK(ran.code == 0);
        CHECK(ran.err.find("the lock deploy is held by") != std::string::npos);
        const auto status = nlohmann::json::parse(read_text_file(rig.dir.file("status")));
        CHECK(status.at("outcome") == "busy");
        CHECK(status.at("exit_code") == 0);
        REQUIRE(::unlink(rig.dir.file("status").c_str()) == 0);
        check_failure(rig, {"lock", "-n", "-E", "256", "deploy", "--", "touch", proof}, 64, "usage");
    }
    CHECK(rig.dir.names().empty());
}

TEST_CASE("before the command starts, a lock fails with azlock's own codes") {
    LockCommandRig rig;
    SECTION("the credential is refused: 77") {
        check_refused(rig, {"lock", "deploy", "--", "true"});
    }
    SECTION("no connection: 69") {
        check_unavailable(rig, {"lock", "-n", "deploy", "--", "true"});
    }
    SECTION("times that do not fit together: 64") {
        check_failure(rig, {"lock", "deploy", "--ttl", "14s", "--", "true"}, 64, "usage");
    }
}

TEST_CASE("a lock that is lost while the command runs: 122, and the status file says so before --on-lost runs") {
    LockCommandRig rig;
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
    CHECK(seen.at("exit_code").is_null());
    CHECK(nlohmann::json::parse(read_text_file(status)).at("exit_code") == 122);
}

TEST_CASE("a command under a lock runs inside the same lock, from the shell, and in one of several slots") {
    LockCommandRig rig;
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
