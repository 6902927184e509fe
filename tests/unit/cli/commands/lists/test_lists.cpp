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
        CHECK(rig.on_terminal({"queue", "list", "box/jobs", "--dead"}) == "0 dead letters\n");
        rig.service.put("box", "jobs.dead/d", "x");
        CHECK(rig.on_terminal({"queue", "list", "box/jobs", "--state", "dead"}).ends_with("  d\n1 dead letter\n"));
    }
}

TEST_CASE("the flag --sort orders rows and objects, and --long has more columns also for a program") {
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

TEST_CASE("the view of --watch shows a block for each change, and as JSON an object") {
    ListsRig rig;
    rig.put("x", {"--id", "a"});
    const auto change = [&] {
        rig.faulty.on("List Blobs").nth(5).meanwhile([&] {
            rig.service.put("box", "jobs.dead/d", "x");
            rig.lease("jobs/5-a");
        });
    };
    SECTION("queue stats") {
        change();
        CHECK(rig.run({"queue", "stats", "box/jobs", "--watch", "--timeout", "9s"}).out ==
              "2023-11-14T22:13:20Z\nready: 1\ndelayed: 0\nrunning: 0\ndead: 0\noldest: 0 s\n\n"
              "2023-11-14T22:13:24Z\nready: 0\ndelayed: 0\nrunning: 1\ndead: 1\noldest: 4 s\n");
    }
    SECTION("queue stats as JSON") {
        change();
        const Ran ran = rig.run_json({"queue", "stats", "box/jobs", "--watch=1s", "--timeout", "5s"});
        CHECK(ran.code == 69);
        CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 2);
        const auto last = nlohmann::json::parse(ran.out.substr(ran.out.find('\n')));
        CHECK(last.at("seen") == "2023-11-14T22:13:22Z");
        CHECK(last.at("running") == 1);
    }
    SECTION("queue list") {
        change();
        const Ran ran = rig.run_json({"queue", "list", "box/jobs", "--watch", "--timeout", "20s"});
        CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 2);
        CHECK(nlohmann::json::parse(ran.out.substr(0, ran.out.find('\n'))).at("tasks").at(0).at("state") == "ready");
        CHECK(rig.run({"queue", "list", "box/jobs", "--watch", "--timeout", "20s"}).out.find("running  5 ") !=
              std::string::npos);
    }
    SECTION("lease list and lease show") {
        change();
        const Ran listed = rig.run_json({"lease", "list", "box", "--watch", "--timeout", "20s"});
        CHECK(std::count(listed.out.begin(), listed.out.end(), '\n') == 2);
        CHECK(nlohmann::json::parse(listed.out.substr(0, listed.out.find('\n'))).at("leases").empty());
        const Ran shown = rig.run_json({"lease", "show", "box/jobs/5-a", "--watch=10s", "--timeout", "2m"});
        CHECK(std::count(shown.out.begin(), shown.out.end(), '\n') == 2);
        CHECK(shown.out.find(R"("state":"expired")") != std::string::npos);
        check_failure(rig, {"lease", "show", "box/none", "--watch"}, 79, "not_found");
    }
    SECTION("a duration that cannot be: 64") {
        check_failure_text(rig, {"queue", "stats", "box/jobs", "--watch=often"}, 64, "--watch: 'often' is not a");
        check_failure(rig, {"queue", "stats", "box/jobs", "--watch=0"}, 64, "usage");
        check_failure(rig, {"queue", "stats", "box/jobs", "--watch", "--prometheus"}, 64, "usage");
    }
}

TEST_CASE("the view of --watch draws each look over the last one on a terminal, and tells of new dead letters") {
    ListsRig rig;
    rig.put("x", {"--id", "a"});
    rig.faulty.on("List Blobs").nth(3).meanwhile([&] { rig.service.put("box", "jobs.dead/d", "x"); });
    const std::string text = rig.on_terminal({"queue", "stats", "box/jobs", "--watch", "--timeout", "5s"});
    CHECK(
        text.starts_with("\x1b[Jready: 1\ndelayed: 0\nrunning: 0\ndead: 0\noldest: 0 s\n"
                         "\x1b[5A\r\x1b[Jready: 1\ndelayed: 0\nrunning: 0\ndead: 1\noldest: 2 s\n"
                         "1 dead letter more since the first look\n"
                         "\x1b[6A\r\x1b[Jready: 1\n"));
    const std::string listed = rig.on_terminal({"queue", "list", "box/jobs", "--watch", "--timeout", "3s"});
    CHECK(listed.find("ATTEMPTS") != std::string::npos);
    CHECK(listed.find("\x1b[3A\r\x1b[J") != std::string::npos);
}

}  // namespace azlock::test
