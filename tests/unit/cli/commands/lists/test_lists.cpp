// The lists of blobs, leases and tasks: the same bytes for programs, and titles and totals on a terminal.
#include "unit/cli/commands/queue/queue_command_rig.hpp"
#include "unit/cli/terminal.hpp"

namespace azlock::test {
namespace {

// box has blobs, leases and the queue box/jobs.
struct ListsRig : QueueCommandRig {
    ListsRig() {
        environment.set("TERM", "xterm");
        environment.set("NO_COLOR", "1");
    }
    void blobs() {
        service.put("box", "a/1", std::string(2048, 'x'));
        fake_clock.advance(std::chrono::seconds(60));
        service.put("box", "b", "xy");
        lease("b");
    }
    void leases() {
        lease("b");
        REQUIRE(run({"lease", "acquire", "box/a", "--create", "--duration", "infinite", "--owner", "owner=ann",
                     "--owner", "host=ci-7", "--owner", "pid=7"})
                    .code == 0);
        fake_clock.advance(std::chrono::seconds(50));
    }
    void tasks() {
        put("x", {"--id", "late", "--delay", "1h"});
        fake_clock.advance(std::chrono::seconds(90));
        put("xyz", {"--id", "now", "--priority", "1"});
    }
    std::string on(const TerminalOut& terminal, const std::vector<std::string>& arguments) {
        stdout_fd = terminal.fd();
        const Ran ran = run(arguments);
        stdout_fd.reset();
        return terminal.read() + ran.err;
    }
    std::string on_terminal(const std::vector<std::string>& arguments) { return on(TerminalOut(), arguments); }
};

}  // namespace

TEST_CASE("a program gets the rows of a list as ever") {
    ListsRig rig;
    SECTION("blobs") {
        rig.blobs();
        CHECK(rig.run({"list", "box"}).out ==
              "           2048  2023-11-14T22:13:20Z             a/1\n"
              "              2  2023-11-14T22:14:20Z  leased     b\n");
        CHECK(rig.run({"list", "box", "--delimiter", "/"}).out ==
              "                                                  a/\n"
              "              2  2023-11-14T22:14:20Z  leased     b\n");
        CHECK(rig.run({"list"}).out == "                 2023-11-14T22:13:20Z             box\n");
    }
    SECTION("leases") {
        rig.leases();
        CHECK(rig.run({"lease", "list", "box"}).out ==
              "leased     50 s            a  held by ann@ci-7 pid 7 for 50 s\n"
              "leased     -               b  held by somebody who left no record\n");
        rig.service.put("box", "c", "x");
        CHECK(rig.run({"lease", "list", "box", "--state", "available"}).out == "available  -               c\n");
    }
    SECTION("tasks") {
        rig.tasks();
        CHECK(rig.run({"queue", "list", "box/jobs"}).out ==
              "ready    1          0 s        0  now\n"
              "delayed  5   1 min 30 s        0  late  in 58 min 30 s\n");
    }
}

TEST_CASE("on a terminal a list has titles, sizes for people, and totals") {
    ListsRig rig;
    SECTION("blobs") {
        rig.blobs();
        CHECK(rig.on_terminal({"list", "box"}) ==
              " SIZE  LAST MODIFIED         LEASE   NAME\n"
              "2 KiB  2023-11-14T22:13:20Z          a/1\n"
              "  2 B  2023-11-14T22:14:20Z  leased  b\n"
              "2 blobs, 2 KiB\n");
        CHECK(rig.on_terminal({"list", "box", "--bytes", "--delimiter", "/"}) ==
              "SIZE  LAST MODIFIED         LEASE   NAME\n"
              "                                    a/\n"
              "   2  2023-11-14T22:14:20Z  leased  b\n"
              "1 prefix, 1 blob, 2 bytes\n");
        CHECK(rig.on_terminal({"list", "box/none"}) == "0 blobs, 0 B\n");
        CHECK(rig.on_terminal({"list"}).ends_with("box\n1 container\n"));
        CHECK(rig.on_terminal({"list", "box", "--long"}).find("TYPE       TIER  CREATED") != std::string::npos);
    }
    SECTION("leases, and those held for too long are marked") {
        rig.leases();
        CHECK(rig.on_terminal({"lease", "list", "box", "--expect", "49s"}) ==
              "STATE   HELD FOR  NAME  HOLDER\n"
              "leased  50 s      a     held by ann@ci-7 pid 7 for 50 s (held for longer than 4…\n"
              "leased  -         b     held by somebody who left no record\n"
              "2 leases: 2 leased\n");
        rig.environment.set("NO_COLOR", "");
        CHECK(rig.on_terminal({"lease", "list", "box", "--expect", "49s"}).find("\x1b[31mleased  50 s") !=
              std::string::npos);
        CHECK(rig.on_terminal({"lease", "list", "box"}).find("\x1b[31m") == std::string::npos);
    }
    SECTION("tasks") {
        rig.tasks();
        CHECK(rig.on_terminal({"queue", "list", "box/jobs"}) ==
              "STATE    PRIORITY         AGE  ATTEMPTS  ID    NOTE\n"
              "ready           1         0 s         0  now\n"
              "delayed         5  1 min 30 s         0  late  in 58 min 30 s\n"
              "2 tasks: 1 ready, 1 delayed\n");
    }
}

TEST_CASE("--sort orders rows and objects, and --long has more columns also for a program") {
    ListsRig rig;
    rig.blobs();
    rig.service.put("box", "c", std::string(5000, 'x'));
    REQUIRE(rig.run({"lease", "acquire", "box/z", "--create", "--duration", "infinite", "--owner", "owner=ann"}).code ==
            0);
    rig.fake_clock.advance(std::chrono::seconds(50));
    const auto names = [&](const std::vector<std::string>& arguments) {
        std::string out;
        std::istringstream lines(rig.run_json(arguments).out);
        for (std::string line; std::getline(lines, line);) {
            const auto json = nlohmann::json::parse(line);
            out += json.at(json.contains("name") ? "name" : "id").get<std::string>() + " ";
        }
        return out;
    };
    CHECK(names({"list", "box"}) == "a/1 b c z ");
    CHECK(names({"list", "box", "--sort", "size"}) == "c a/1 b z ");
    CHECK(names({"list", "box", "--sort", "modified"}) == "b c z a/1 ");
    CHECK(rig.run({"list", "box/b", "--long"}).out.find("  BlockBlob   Hot ") != std::string::npos);
    rig.lease("a/1");
    CHECK(names({"lease", "list", "box"}) == "a/1 b z ");
    CHECK(names({"lease", "list", "box", "--sort", "held"}) == "z a/1 b ");
    CHECK(rig.run({"lease", "list", "box/z", "--long"}).out.find("infinite") != std::string::npos);
    rig.tasks();
    CHECK(names({"queue", "list", "box/jobs"}) == "now late ");
    CHECK(names({"queue", "list", "box/jobs", "--sort", "age"}) == "late now ");
    check_failure(rig, {"queue", "list", "box/jobs", "--sort", "size"}, 64, "usage");
}

}  // namespace azlock::test
