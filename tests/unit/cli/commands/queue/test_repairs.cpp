// queue list, stats, show, peek, retry, kick and delete, as a user types them.
#include "unit/cli/commands/queue/queue_command_rig.hpp"
#include "unit/cli/prometheus_text.hpp"

namespace azlock::test {
namespace {

// The arguments after "azlock queue", for the queue or for one in a container that does not exist.
std::vector<std::string> of_queue(const std::string& command, const std::string& queue) {
    std::vector<std::string> out{"queue", command, queue};
    if (command == "show" || command == "delete") out.push_back("a");
    if (command == "retry") out.push_back("--dead");
    if (command == "kick") out.push_back("--all");
    return out;
}

}  // namespace

TEST_CASE("every queue command that looks or repairs fails with the usual codes") {
    QueueCommandRig rig;
    const std::string command = GENERATE(as<std::string>{}, "list", "stats", "show", "peek", "retry", "kick", "delete");
    CAPTURE(command);
    const std::vector<std::string> arguments = of_queue(command, "box/jobs");
    check_usual_failures(rig, arguments, of_queue(command, "nowhere/jobs"));
    SECTION("the queue has no prefix, or there is none: 64") {
        check_failure(rig, of_queue(command, "box"), 64, "usage");
        check_failure_text(rig, of_queue(command, "box"), 64, "'box' does not name a queue");
        check_failure(rig, {"queue", command}, 64, "usage");
    }
    CHECK(rig.service.peek("box", "jobs/5-a") == std::nullopt);
}

TEST_CASE("queue commands refuse operands that do not fit: 64, and nothing changes") {
    QueueCommandRig rig;
    rig.put("x", {"--id", "a"});
    const std::vector<std::vector<std::string>> refused{{"queue", "kick", "box/jobs"},
                                                        {"queue", "kick", "box/jobs", "a", "--all"},
                                                        {"queue", "retry", "box/jobs"},
                                                        {"queue", "delete", "box/jobs"},
                                                        {"queue", "delete", "box/jobs", "--all"},
                                                        {"queue", "delete", "box/jobs", "--dead"},
                                                        {"queue", "delete", "box/jobs", "a", "--dead", "--all"},
                                                        {"queue", "show", "box/jobs"},
                                                        {"queue", "peek", "box/jobs", "--dead"},
                                                        {"queue", "list", "box/jobs", "--state", "lost"}};
    for (const auto& command : refused) check_failure(rig, command, 64, "usage");
    check_failure_text(rig, {"queue", "delete", "box/jobs", "--all"}, 64, "--all goes with --dead");
    check_failure_text(rig, {"queue", "peek", "box/jobs", "--dead"}, 64, "--dead needs the ID of a dead letter");
    CHECK(rig.run({"queue", "peek", "box/jobs"}).out == "x");
}

TEST_CASE("a task or dead letter that does not exist: 79, in every command that names one") {
    QueueCommandRig rig;
    const std::vector<std::vector<std::string>> missing{{"queue", "show", "box/jobs", "none"},
                                                        {"queue", "show", "box/jobs", "none", "--dead"},
                                                        {"queue", "peek", "box/jobs"},
                                                        {"queue", "peek", "box/jobs", "none"},
                                                        {"queue", "peek", "box/jobs", "none", "--dead"},
                                                        {"queue", "retry", "box/jobs", "none"},
                                                        {"queue", "kick", "box/jobs", "none"},
                                                        {"queue", "delete", "box/jobs", "none"},
                                                        {"queue", "delete", "box/jobs", "none", "--dead"}};
    for (const auto& command : missing) {
        check_failure(rig, command, 79, "not_found");
        check_failure_text(rig, command, 79, command.size() > 3 ? "none" : "no task");
    }
}

TEST_CASE("a task that runs is not deleted: 75") {
    QueueCommandRig rig;
    rig.put("x", {"--id", "a"});
    rig.lease("jobs/5-a");
    check_failure(rig, {"queue", "delete", "box/jobs", "a"}, 75, "busy");
    check_failure_text(rig, {"queue", "delete", "box/jobs", "a"}, 75, "a");
    CHECK(rig.service.peek("box", "jobs/5-a"));
}

TEST_CASE("queue list has a line for each task, and as JSON an object for each") {
    QueueCommandRig rig;
    rig.put("x", {"--id", "a", "--priority", "1"});
    rig.put("xyz", {"--id", "b", "--delay", "1h"});
    SECTION("text") {
        const Ran ran = rig.run({"queue", "list", "box/jobs"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("ready") < ran.out.find(" a"));
        CHECK(ran.out.find("delayed") < ran.out.find(" b"));
        CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 2);
        CHECK(ran.err.empty());
    }
    SECTION("JSON, only those in one state") {
        const auto json = rig.run_json({"queue", "list", "box/jobs", "--state", "delayed"}).json();
        CHECK(json.at("id") == "b");
        CHECK(json.at("bytes") == 3);
        CHECK(json.at("priority") == 5);
        CHECK(json.at("due") == "2023-11-14T23:13:20Z");
    }
}

TEST_CASE("queue stats --prometheus tells the depth by state, the age and the dead letters") {
    QueueCommandRig rig;
    const std::vector<std::string> command{"queue", "stats", "box/jobs", "--prometheus"};
    CHECK(PrometheusText(rig.run(command).out).value("azlock_queue_oldest_task_age_seconds", "queue", "box/jobs") == 0);
    rig.put("x", {"--id", "a"});
    rig.put("x", {"--id", "b", "--delay", "1h"});
    rig.put("x", {"--id", "c"});
    rig.lease("jobs/5-c");
    rig.service.put("box", "jobs.dead/d", "x");
    rig.fake_clock.advance(std::chrono::seconds(42));
    const PrometheusText read(rig.run(command).out);
    CHECK(read.value("azlock_queue_tasks", "state", "ready") == 1);
    CHECK(read.value("azlock_queue_tasks", "state", "delayed") == 1);
    CHECK(read.value("azlock_queue_tasks", "state", "archived") == 0);
    CHECK(read.value("azlock_queue_tasks", "state", "running") == 1);
    CHECK(read.value("azlock_queue_dead_letters", "account", kRigAccount) == 1);
    CHECK(read.value("azlock_queue_oldest_task_age_seconds", "queue", "box/jobs") == 42);
    check_failure(rig, command, 64, "usage");  // --json
    check_failure_text(rig, {"queue", "stats", "nowhere/jobs", "--prometheus"}, 79, "the container does not exist");
}

TEST_CASE("queue kick, retry and delete print the ids, and with --dry-run change nothing") {
    QueueCommandRig rig(CommandRig::Time::real);
    rig.put("x", {"--id", "a", "--delay", "1h"});
    rig.put("x", {"--id", "b"});
    REQUIRE(rig.run({"queue", "work", "box/jobs", "--drain", "--", "sh", "-c", "exit 65"}).code == 123);
    struct Case {
        std::vector<std::string> arguments;
        std::string id;
        std::string done;
    };
    const Case change = GENERATE(Case{{"queue", "kick", "box/jobs", "--all"}, "a", "kicked"},
                                 Case{{"queue", "kick", "box/jobs", "a"}, "a", "kicked"},
                                 Case{{"queue", "retry", "box/jobs", "--dead"}, "b", "retried"},
                                 Case{{"queue", "retry", "box/jobs", "b"}, "b", "retried"},
                                 Case{{"queue", "delete", "box/jobs", "a"}, "a", "deleted"},
                                 Case{{"queue", "delete", "box/jobs", "--dead", "b"}, "b", "deleted"},
                                 Case{{"queue", "delete", "box/jobs", "--dead", "--all"}, "b", "deleted"});
    CAPTURE(change.arguments);
    std::vector<std::string> dry = change.arguments;
    dry.emplace_back("--dry-run");
    const std::string before = rig.run_json({"queue", "stats", "box/jobs"}).out;
    CHECK(rig.run(dry).out == change.id + "\n");
    CHECK(rig.run_json(dry).json() == nlohmann::ordered_json{{"id", change.id}, {change.done, false}});
    const auto counts = [](const std::string& stats) {
        auto out = nlohmann::ordered_json::parse(stats);
        out.erase("oldest_seconds");
        return out;
    };
    CHECK(counts(rig.run_json({"queue", "stats", "box/jobs"}).out) == counts(before));
    SECTION("text") {
        const Ran ran = rig.run(change.arguments);
        CHECK(ran.code == 0);
        CHECK(ran.out == change.id + "\n");
        CHECK(ran.err.empty());
    }
    SECTION("JSON") {
        CHECK(rig.run_json(change.arguments).json() == nlohmann::ordered_json{{"id", change.id}, {change.done, true}});
    }
    CHECK(counts(rig.run_json({"queue", "stats", "box/jobs"}).out) != counts(before));
}

TEST_CASE("queue put --lines prints an object for each task, and --if-absent says what was there") {
    QueueCommandRig rig;
    const Ran ran = rig.run_json({"queue", "put", "box/jobs", "--lines", "--priority", "2"}, "a\nb\n");
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 2);
    const auto first = nlohmann::json::parse(ran.out.substr(0, ran.out.find('\n')));
    CHECK(first.at("priority") == 2);
    CHECK(first.at("existed") == false);
    rig.put("x", {"--id", "a"});
    CHECK(rig.run_json({"queue", "put", "box/jobs", "--id", "a", "--if-absent"}, "y").json().at("existed") == true);
    check_failure(rig, {"queue", "put", "box/jobs", "--id", "a"}, 73, "precondition");
    check_failure(rig, {"queue", "put", "box/jobs", "--id", "a", "--lines"}, 64, "usage");
    check_failure(rig, {"queue", "put", "box/jobs", "--priority", "10"}, 64, "usage");
    check_failure(rig, {"queue", "put", "box"}, 64, "usage");
}

TEST_CASE("queue peek prints the content as it is, and as JSON with Base64 if it is no text") {
    QueueCommandRig rig;
    rig.put("plain", {"--id", "a"});
    rig.put(std::string("\xff\x00", 2), {"--id", "b", "--priority", "9"});
    const Ran ran = rig.run({"queue", "peek", "box/jobs"});
    CHECK(ran.out == "plain");
    CHECK(ran.err == "azlock: task a\n");
    CHECK(rig.run({"queue", "peek", "box/jobs", "b"}).out == std::string("\xff\x00", 2));
    CHECK(rig.run_json({"queue", "peek", "box/jobs"}).json() ==
          nlohmann::ordered_json{{"id", "a"}, {"bytes", 5}, {"content", "plain"}, {"base64", nullptr}});
    CHECK(rig.run_json({"queue", "peek", "box/jobs", "b"}).json() ==
          nlohmann::ordered_json{{"id", "b"}, {"bytes", 2}, {"content", nullptr}, {"base64", "/wA="}});
}

TEST_CASE("queue show, peek and stats say what is in the queue") {
    QueueCommandRig rig;
    const std::string id = rig.put("the content");
    SECTION("show") {
        CHECK(rig.run_json({"queue", "show", "box/jobs", id}).json().at("bytes") == 11);
        check_failure(rig, {"queue", "show", "box/jobs", "none"}, 79, "not_found");
    }
    SECTION("show as text") {
        CHECK(rig.run({"queue", "show", "box/jobs", id}).out ==
              "id: " + id +
                  "\nstate: ready\npriority: 5\nsize: 11\nattempts: 0 (failures: 0)\n"
                  "put: 2023-11-14T22:13:20Z, 0 s ago\n");
        rig.put("x", {"--id", "late", "--delay", "1h", "--priority", "9", "--metadata", "colour=red"});
        CHECK(rig.run({"queue", "show", "box/jobs", "late"}).out ==
              "id: late\nstate: delayed\npriority: 9\nsize: 1\nattempts: 0 (failures: 0)\n"
              "put: 2023-11-14T22:13:20Z, 0 s ago\ndue: 2023-11-14T23:13:20Z\nmetadata colour: red\n");
        rig.lease("jobs/5-" + id);
        const Ran running = rig.run({"queue", "show", "box/jobs", id});
        CHECK(running.out.find("\nstate: running\n") != std::string::npos);
        CHECK(running.out.find("\nholder: somebody who left no record\n") != std::string::npos);
    }
    SECTION("peek") {
        CHECK(rig.run({"queue", "peek", "box/jobs"}).out == "the content");
    }
    SECTION("stats") {
        CHECK(rig.run_json({"queue", "stats", "box/jobs"}).json().at("ready") == 1);
    }
    SECTION("stats as text") {
        rig.put("x", {"--delay", "1h"});
        rig.fake_clock.advance(std::chrono::seconds(90));
        CHECK(rig.run({"queue", "stats", "box/jobs"}).out ==
              "ready: 1\ndelayed: 1\nrunning: 0\ndead: 0\noldest: 1 min 30 s\n");
        CHECK(rig.run({"queue", "stats", "box/none"}).out == "ready: 0\ndelayed: 0\nrunning: 0\ndead: 0\n");
    }
    check_usual_failures(rig, {"queue", "stats", "box/jobs"}, {"queue", "stats", "nowhere/jobs"});
}

TEST_CASE("queue kick, retry and delete repair a queue by hand") {
    QueueCommandRig rig;
    const std::string id = rig.put("later", {"--delay", "1h"});
    SECTION("kick makes a delayed task ready") {
        CHECK(rig.run_json({"queue", "list", "box/jobs"}).json().at("state") == "delayed");
        CHECK(rig.run({"queue", "kick", "box/jobs", id}).out == id + "\n");
        CHECK(rig.run_json({"queue", "list", "box/jobs"}).json().at("state") == "ready");
    }
    SECTION("delete") {
        CHECK(rig.run_json({"queue", "delete", "box/jobs", id}).json().at("deleted") == true);
        CHECK(rig.run({"queue", "list", "box/jobs"}).out.empty());
        check_failure(rig, {"queue", "delete", "box/jobs", id}, 79, "not_found");
    }
    SECTION("retry of what is not among the dead letters: 79") {
        check_failure(rig, {"queue", "retry", "box/jobs", id}, 79, "not_found");
    }
    SECTION("which tasks? 64") {
        for (const char* command : {"kick", "retry", "delete"}) {
            check_failure(rig, {"queue", command, "box/jobs"}, 64, "usage");
        }
    }
    check_usual_failures(rig, {"queue", "kick", "box/jobs", "--all"}, {"queue", "kick", "nowhere/jobs", "--all"});
}

}  // namespace azlock::test
