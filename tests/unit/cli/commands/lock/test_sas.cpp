// lock and others that keep a lease, with a SAS: what it must permit, and when its end is told.
#include "unit/cli/commands/lock/lock_command_rig.hpp"

namespace azlock::test {
namespace {

constexpr const char* kEnds = "azlock: the SAS ends in ";

// From now on azlock has only a SAS of the container.
void use_sas(CommandRig& rig, const std::string& container, const std::string& permissions, const std::string& span) {
    const Ran made = rig.run({"sas", container, "--permissions", permissions, "--for", span});
    REQUIRE(made.code == 0);
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING",
                        std::string("BlobEndpoint=http://127.0.0.1:10000/") + kRigAccount +
                            ";SharedAccessSignature=" + made.out.substr(0, made.out.size() - 1));
}

}  // namespace

TEST_CASE("a SAS of the container that permits r and w is enough for a lock, also for a new one") {
    LockCommandRig rig;
    use_sas(rig, "locks", "rw", "2h");
    for (int turn = 0; turn < 2; ++turn) {
        const Ran ran = rig.run({"lock", "deploy", "--", "sh", "-c", "exit 7"});
        INFO(ran.err);
        CHECK(ran.code == 7);
        CHECK(ran.err.empty());
    }
    CHECK(rig.lease_state("locks", "deploy") == "available");
}

TEST_CASE("the SAS of a lock's URL does not reach the command, nor the status file") {
    LockCommandRig rig;
    const Ran made = rig.run({"sas", "locks", "--permissions", "rw", "--for", "2h", "--url"});
    std::string url = made.out.substr(0, made.out.size() - 1);
    url.insert(url.find('?'), "/deploy");
    const std::string status = rig.dir.file("status.json");
    const Ran ran = rig.run({"lock", url, "--status-file", status, "-c", "env > " + rig.dir.file("env")});
    INFO(ran.err);
    CHECK(ran.code == 0);
    const std::string seen = read_text_file(rig.dir.file("env"));
    CHECK(seen.find("AZLOCK_NAME=http://127.0.0.1:10000/") != std::string::npos);
    CHECK(seen.find("sig=") == std::string::npos);
    CHECK(read_text_file(status).find("sig=") == std::string::npos);
}

TEST_CASE("a SAS without r or without w is 77 before anything is sent") {
    for (const std::string permissions : {"r", "rcl", "w", "cd"}) {
        CAPTURE(permissions);
        LockCommandRig rig;
        use_sas(rig, "locks", permissions, "2h");
        const std::string status = rig.dir.file("status.json");
        const std::vector<std::string> lock{"lock", "deploy", "--status-file", status, "--", "true"};
        check_failure(rig, lock, 77, "auth");
        const Ran ran = rig.run(lock);
        CHECK(ran.err.find(": a lock needs r and w") == std::string::npos);
        CHECK(ran.err.find("; a lock needs r and w; get a SAS that permits both") != std::string::npos);
        CHECK(nlohmann::json::parse(read_text_file(status)).at("outcome") == "error");
        CHECK(rig.service.requests() == 0);
    }
}

TEST_CASE("lock tells of a SAS that ends within an hour, or before --run-timeout") {
    struct Case {
        const char* span;
        std::vector<std::string> flags;
        bool told;
    };
    for (const Case& c : {Case{"30m", {}, true}, Case{"59m", {}, true}, Case{"61m", {}, false},
                          Case{"30m", {"--run-timeout", "20m"}, false}, Case{"30m", {"--run-timeout", "31m"}, true},
                          Case{"2h", {"--run-timeout", "3h"}, true}, Case{"30m", {"--run-timeout", "0"}, true}}) {
        CAPTURE(c.span, c.flags);
        LockCommandRig rig;
        use_sas(rig, "locks", "rw", c.span);
        std::vector<std::string> lock{"lock", "deploy"};
        lock.insert(lock.end(), c.flags.begin(), c.flags.end());
        lock.insert(lock.end(), {"--", "true"});
        const Ran ran = rig.run(lock);
        CHECK(ran.code == 0);
        CHECK((ran.err.find(kEnds) == 0) == c.told);
        if (c.told)
            CHECK(ran.err.find(": a command that still runs soon after that loses the lock") != std::string::npos);
        CHECK((c.told || ran.err.empty()));
    }
}

TEST_CASE("a SAS without an end in it, and an account key, are not told of") {
    LockCommandRig rig;
    CHECK(rig.run({"lock", "deploy", "--", "true"}).err.empty());
}

TEST_CASE("elect, lease keep and queue work tell of the end of the SAS, too") {
    LockCommandRig rig;
    SECTION("elect") {
        use_sas(rig, "locks", "rw", "30m");
        CHECK(rig.run({"elect", "boss", "--once", "--", "true"}).err.find(kEnds) != std::string::npos);
    }
    SECTION("lease keep") {
        const std::string id = rig.lease("data", 15);
        use_sas(rig, "box", "rw", "30m");
        const Ran ran = rig.run({"lease", "keep", "box/data", "--lease-id", id, "--timeout", "50ms"});
        CHECK(ran.err.find(kEnds) != std::string::npos);
    }
    SECTION("queue work") {
        rig.service.make_container("jobs");
        REQUIRE(rig.run({"queue", "put", "jobs/q"}, "task").code == 0);
        use_sas(rig, "jobs", "rwdl", "30m");
        const Ran ran = rig.run({"queue", "work", "jobs/q", "--drain", "--", "true"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.find(kEnds) != std::string::npos);
    }
}

}  // namespace azlock::test
