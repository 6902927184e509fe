// lock and elect, as a user types them.
#include <algorithm>
#include <thread>

#include <sys/inotify.h>
#include <sys/stat.h>

#include "unit/cli/command_rig.hpp"
#include "unit/eventually.hpp"

namespace azlock::test {
namespace {

struct LockRig : CommandRig {
    LockRig() : CommandRig(Time::real) { service.make_container("locks"); }
};

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

// A shell command that sends a signal to azlock, that is to this process.
std::string signal_azlock(const std::string& name) {
    return "kill -" + name + " " + std::to_string(::getpid());
}

// What azlock has said on standard error while it runs.
std::string said_so_far() {
    std::string out(64 * 1024, '\0');
    out.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(STDERR_FILENO, out.data(), out.size(), 0))));
    return out;
}

}  // namespace

TEST_CASE("a lock that somebody took while the command ran is lost, even if azlock learns it at the end") {
    LockRig rig;
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

TEST_CASE("a lock that was broken while the command ran, and that nobody took, is not lost") {
    LockRig rig;
    rig.faulty.on("Set Blob Metadata").nth(2).meanwhile([&] {
        Actor peer(rig.service, rig.clock(), 99);
        REQUIRE(peer.client().break_lease({"locks", "deploy", {}}, 0, {}, {}));
    });
    CHECK(rig.run({"lock", "deploy", "--", "sh", "-c", "exit 3"}).code == 3);
    CHECK(rig.lease_state("locks", "deploy") == "available");
}

TEST_CASE("in a quarantine lock -n and a short -w are busy at once, and keep the lease until it has passed") {
    LockRig rig;
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
    CHECK(rig.lease_state("locks", "deploy") == "leased");
}

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
        CHECK(json.at("command").at("signal") == nullptr);
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
    LockRig rig;
    const std::string status = rig.dir.file("status.json");
    rig.faulty.on(lease_action("acquire")).nth(1).meanwhile([&] {
        CHECK(nlohmann::json::parse(read_text_file(status)).at("outcome") == "waiting");
    });
    NewFiles writes(rig.dir.path());
    CHECK(rig.run({"lock", "deploy", "--status-file", status, "--", "true"}).code == 0);
    CHECK(writes.count() == 4);  // starting, waiting, held, ran
}

TEST_CASE("a signal to azlock goes to the command, and ends a wait for the lock") {
    LockRig rig;
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
        check_unavailable(rig, {"lock", "-n", "deploy", "--", "true"});
    }
    SECTION("times that do not fit together: 64") {
        check_failure(rig, {"lock", "deploy", "--ttl", "14s", "--", "true"}, 64, "usage");
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
    SECTION("--observe prints a leader with its record") {
        CHECK(rig.run({"elect", "boss", "--once", "--id", "first", "--", "true"}).code == 0);
        Actor peer(rig.service, rig.clock(), 3);
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
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        check_failure(rig, {"elect", "boss", "--", "true"}, 77, "auth");
    }
}

TEST_CASE("a candidate competes again after its term, until a signal ends the candidacy") {
    LockRig rig;
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
    LockRig rig;
    check_failure(rig, {"elect", "boss", "--orphans", "leave", "--", "true"}, 64, "usage");
    check_failure(rig, {"elect", "boss", "--id", "", "--", "true"}, 64, "usage");
    check_failure_text(rig, {"elect", "boss"}, 64, "no command was given");
    CHECK(!rig.service.peek("locks", "boss"));
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
