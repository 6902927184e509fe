// queue put and work, as a user types them.
#include "base/http_date.hpp"
#include "unit/cli/commands/queue/queue_command_rig.hpp"

namespace azlock::test {
namespace {

// TMPDIR, until it is destroyed.
class ScratchFolder {
  public:
    explicit ScratchFolder(const std::string& path) {
        if (const char* before = std::getenv("TMPDIR")) before_ = before;
        ::setenv("TMPDIR", path.c_str(), 1);
    }
    ~ScratchFolder() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

  private:
    std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("queue put prints the id of the task") {
    QueueCommandRig rig;
    SECTION("text and list") {
        const std::string id = rig.put("movie 17");
        CHECK(rig.run({"queue", "list", "box/jobs"}).out.find(id) != std::string::npos);
    }
    SECTION("JSON") {
        CHECK(rig.run_json({"queue", "put", "box/jobs"}, "x").json().at("id").get<std::string>().size() > 10);
    }
    SECTION("a task for each line") {
        const Ran ran = rig.run({"queue", "put", "box/jobs", "--lines", "-q"}, "a\nb\nc\n");
        CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 3);
    }
    SECTION("a file that does not exist: 66") {
        check_failure(rig, {"queue", "put", "box/jobs", rig.dir.file("none")}, 66, "input_missing");
    }
    SECTION("without the container, the hint names this command's own flag") {
        const Ran ran = rig.run({"queue", "put", "nowhere/jobs"}, "x");
        CHECK(ran.err.find("check its name; --create-container makes it") != std::string::npos);
        CHECK(rig.run({"queue", "list", "nowhere/jobs"}).err.find("'azlock container create' makes it") !=
              std::string::npos);
    }
    check_usual_failures(rig, {"queue", "put", "box/jobs"}, {"queue", "put", "nowhere/jobs"});
}

TEST_CASE("queue put --batch names lines, and nothing else: 64") {
    QueueCommandRig rig;
    CHECK(rig.run({"queue", "put", "box/jobs", "--lines", "--batch", "m17"}, "a\nb\n").out ==
          "m17-00000001\nm17-00000002\n");
    const Ran again = rig.run_json({"queue", "put", "box/jobs", "--lines", "--batch", "m17"}, "a\nb\n");
    CHECK(again.code == 0);
    CHECK(again.out.find(R"("id":"m17-00000002","priority":5,"existed":true)") != std::string::npos);
    check_failure(rig, {"queue", "put", "box/jobs", "--batch", "m17"}, 64, "usage");
    check_failure(rig, {"queue", "put", "box/jobs", "--lines", "--batch", "a/b"}, 64, "usage");
}

TEST_CASE("queue put refuses metadata that leaves no room for the queue's own: 64") {
    QueueCommandRig rig;
    check_failure(rig, {"queue", "put", "box/jobs", "--metadata", "note=" + std::string(7200, 'n')}, 64, "usage");
}

TEST_CASE("queue work runs the command for each task") {
    QueueCommandRig rig(CommandRig::Time::real);
    SECTION("done: the task is gone") {
        rig.put("one");
        rig.put("two");
        const std::string seen = rig.dir.file("seen");
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--", "sh", "-c", "cat >> '" + seen + "'"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.find("2 done, 0 given back, 0 to the dead letters") != std::string::npos);
        CHECK(read_text_file(seen) == "onetwo");
        CHECK(rig.run({"queue", "list", "box/jobs"}).out.empty());
    }
    SECTION("JSON: an object for each task, and the totals") {
        rig.put("one");
        const Ran ran = rig.run_json({"queue", "work", "box/jobs", "--drain", "--", "true"});
        CHECK(ran.err.find(R"("outcome":"done")") != std::string::npos);
        CHECK(ran.error().at("done") == 1);
    }
    SECTION("exit code 65: to the dead letters, and back by retry") {
        const std::string id = rig.put("bad");
        CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--", "sh", "-c",
                       "printf 'no such film\\nat all\\n' >&2; exit 65"})
                  .code == 123);
        CHECK(rig.run_json({"queue", "list", "box/jobs", "--dead"}).json().at("id") == id);
        const Ran shown = rig.run({"queue", "show", "box/jobs", id, "--dead"});
        CHECK(shown.out.find("\nstate: dead\n") != std::string::npos);
        CHECK(shown.out.find("\nattempts: 1 (failures: 1)\n") != std::string::npos);
        CHECK(shown.out.find("\nlast exit code: 65\nlast attempt: exit code 65\ndied: ") != std::string::npos);
        CHECK(shown.out.find("\nstderr: no such film\\x0Aat all\n") != std::string::npos);
        CHECK(rig.run({"queue", "retry", "box/jobs", "--dead"}).out == id + "\n");
        CHECK(rig.run_json({"queue", "list", "box/jobs"}).json().at("state") == "ready");
    }
    SECTION("--drain waits for a task that somebody else runs, as it may come back") {
        const std::string id = rig.put("one");
        Actor peer(rig.service, rig.clock(), 98);
        const azure::BlobAddress blob{"box", "jobs/5-" + id, {}};
        const auto lease = peer.client().acquire_lease(blob, 60, {}, {}, {}).value().lease_id;
        rig.faulty.on("List Blobs").nth(3).meanwhile([&] {
            REQUIRE(peer.client().release_lease(blob, lease, {}, {}));
        });
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--poll", "250ms", "--", "true"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.find("1 done") != std::string::npos);
    }
    SECTION("--drain --no-wait leaves what somebody else runs") {
        const std::string id = rig.put("one");
        rig.lease("jobs/5-" + id);
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--no-wait", "--", "true"});
        CHECK(ran.code == 0);
        CHECK(ran.err.find("0 done") != std::string::npos);
    }
    SECTION("--drain leaves delayed tasks, and with --delayed it does them") {
        rig.put("one", {"--delay", "1s"});
        CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--", "true"}).err.find("0 done") != std::string::npos);
        CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--delayed", "--", "true"}).err.find("1 done") !=
              std::string::npos);
    }
    SECTION("--delayed and --no-wait without --drain: 64") {
        check_failure(rig, {"queue", "work", "box/jobs", "--delayed", "--", "true"}, 64, "usage");
        check_failure(rig, {"queue", "work", "box/jobs", "-n", "1", "--no-wait", "--", "true"}, 64, "usage");
    }
    SECTION("after a failure the task pauses, and --drain waits for it; what dies makes the exit code 123") {
        rig.put("one");
        const auto begun = std::chrono::steady_clock::now();
        const Ran ran =
            rig.run({"queue", "work", "box/jobs", "--drain", "--max-attempts", "2", "--", "sh", "-c", "exit 9"});
        INFO(ran.err);
        CHECK(ran.code == 123);
        CHECK(ran.err.find("exit code 9; it is given back, for the next attempt in ") != std::string::npos);
        CHECK(ran.err.find("1 given back, 1 to the dead letters") != std::string::npos);
        CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(900));
    }
    SECTION("content that this machine cannot keep: the task dies after its attempts, and the worker goes on") {
        const std::string content(9 * 1024 * 1024, 'x');
        const std::string id = rig.put(content);
        rig.put("small");
        const ScratchFolder nowhere(rig.dir.file("none"));
        const Ran ran = rig.run(
            {"queue", "work", "box/jobs", "--drain", "--max-attempts", "2", "--retry-delay", "0", "--", "true"});
        INFO(ran.err);
        CHECK(ran.code == 123);
        CHECK(ran.err.find("1 done, 1 given back, 1 to the dead letters\n") != std::string::npos);
        CHECK(ran.err.find("lease was lost") == std::string::npos);
        const auto why = rig.run_json({"queue", "show", "box/jobs", id, "--dead"}).json().at("why");
        CHECK(why.get<std::string>().find("its content cannot be kept on this machine: ") == 0);
        CHECK(rig.service.content("box", "jobs.dead/" + id) == content);
        CHECK(rig.run({"queue", "retry", "box/jobs", id}).code == 0);
        CHECK(rig.service.content("box", "jobs/5-" + id) == content);
    }
    SECTION("a task whose metadata is nearly full runs, and dies with a shortened record") {
        const std::string id = rig.put("one", {"--metadata", "note=" + std::string(7100, 'n')});
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--", "sh", "-c",
                                 "head -c 3000 /dev/zero | tr '\\0' e >&2; exit 65"});
        INFO(ran.err);
        CHECK(ran.code == 123);
        const auto dead = rig.run_json({"queue", "show", "box/jobs", id, "--dead"}).json();
        CHECK(dead.at("metadata").at("note").get<std::string>().size() == 7100);
        CHECK(dead.at("why") == "exit code 65");
        CHECK(dead.at("stderr").get<std::string>().size() > 100);
    }
    SECTION("a blob of somebody else with full metadata runs, too") {
        rig.put("one", {"--id", "a"});
        Actor peer(rig.service, rig.clock(), 98);
        REQUIRE(peer.client().set_metadata({"box", "jobs/5-a", {}}, {{"note", std::string(8188, 'n')}}, {}, {}));
        CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--", "true"}).err.find("1 done") != std::string::npos);
    }
    SECTION("a command that does not exist ends the worker: 127, and the task stays") {
        rig.put("one");
        CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--", "/no/such/command"}).code == 127);
        CHECK(rig.run_json({"queue", "list", "box/jobs"}).json().at("failures") == 0);
    }
    SECTION("--output-to keeps what the command printed, under the task's id and attempt") {
        const std::string id = rig.put("the input");
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--retry-delay", "0", "--output-to",
                                 "box/results/", "--", "sh", "-c", "tr a-z A-Z; exit $((AZLOCK_ATTEMPT == 1))"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(rig.service.content("box", "results/" + id + ".2") == "THE INPUT");
        CHECK_FALSE(rig.service.peek("box", "results/" + id + ".1"));
        CHECK(rig.run({"queue", "list", "box/jobs"}).out.empty());
    }
    SECTION("--output-to: a later task with the same id, and a task that was put back, have names of their own") {
        const std::vector<std::string> work{"queue",       "work",    "box/jobs", "--drain",
                                            "--output-to", "box/out", "--",       "cat"};
        rig.put("first", {"--id", "a"});
        CHECK(rig.run(work).code == 0);
        rig.put("second", {"--id", "a"});
        const std::string key = rig.service.peek("box", "jobs/5-a")->metadata.at("azl_task_key");
        CHECK(rig.run(work).code == 0);
        CHECK(rig.service.content("box", "out/a.1") == "first");
        CHECK(rig.service.content("box", "out/a." + key + ".1") == "second");
        rig.put("third", {"--id", "b"});
        CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--", "sh", "-c", "exit 65"}).code == 123);
        CHECK(rig.run({"queue", "retry", "box/jobs", "b"}).code == 0);
        CHECK(rig.run(work).code == 0);
        CHECK(rig.service.content("box", "out/b.2") == "third");
        CHECK(rig.run({"queue", "stats", "box/jobs"}).out == "ready: 0\ndelayed: 0\nrunning: 0\ndead: 0\n");
    }
    SECTION("--output-to a container that does not exist: 79 before any task is touched") {
        rig.put("one");
        rig.service.clear_log();
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--output-to", "none/results", "--", "true"});
        INFO(ran.err);
        CHECK(ran.code == 79);
        CHECK(rig.service.requests("Lease Blob") == 0);
        CHECK(ran.err.find("outputs cannot be stored in none/results: ") != std::string::npos);
    }
    SECTION("an output that cannot be stored ends the worker, and its task is as it was before") {
        const std::string id = rig.put("one");
        rig.put("two");
        const std::string seen = rig.dir.file("seen");
        CHECK(
            rig.run({"queue", "work", "box/jobs", "-n", "1", "--retry-delay", "0", "--", "sh", "-c", "exit 3"}).code ==
            0);
        rig.faulty.on("Put Blob").from(2).return_status(403, "AuthorizationPermissionMismatch");
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--drain", "--max-attempts", "2", "--output-to",
                                 "box/results", "--", "sh", "-c", "echo . >> '" + seen + "'"});
        INFO(ran.err);
        CHECK(ran.code == 77);
        CHECK(read_text_file(seen) == ".\n");
        CHECK(ran.err.find("the output of task " + id + " could not be uploaded: ") != std::string::npos);
        const auto task = rig.run_json({"queue", "show", "box/jobs", id}).json();
        CHECK(task.at("state") == "ready");
        CHECK(task.at("failures") == 1);
        CHECK(task.at("exit_code") == 3);
        CHECK(task.at("why") == "exit code 3");
    }
    SECTION("--output-to without a prefix: 64, and the task stays") {
        rig.put("one");
        check_failure(rig, {"queue", "work", "box/jobs", "--drain", "--output-to", "box", "--", "true"}, 64, "usage");
        CHECK(rig.run_json({"queue", "list", "box/jobs"}).json().at("attempts") == 0);
    }
    SECTION("no command: 64") {
        check_failure(rig, {"queue", "work", "box/jobs"}, 64, "usage");
    }
    SECTION("the container does not exist: 79") {
        check_failure(rig, {"queue", "work", "nowhere/jobs", "--drain", "--", "true"}, 79, "not_found");
    }
    SECTION("the credential is refused: 77") {
        check_refused(rig, {"queue", "work", "box/jobs", "--drain", "--", "true"});
    }
    SECTION("there is no connection until --timeout: 69") {
        rig.put("one");
        check_unavailable(rig, {"queue", "work", "box/jobs", "--drain", "--timeout", "100ms", "--", "true"});
    }
}

TEST_CASE("queue work --timeout ends an idle worker when the time has passed, and not at its next look") {
    QueueCommandRig rig;
    const BootTime begun = rig.clock().now();
    const Ran ran = rig.run({"queue", "work", "box/jobs", "--timeout", "23s", "--jobs", "2", "--", "true"});
    INFO(ran.err);
    CHECK(ran.code == 69);
    CHECK(ran.err.find("the deadline passed (--timeout)") != std::string::npos);
    CHECK(rig.clock().now() - begun < std::chrono::milliseconds(23'100));
}

TEST_CASE("the time at which a task died is that of its death, not that of the claim") {
    QueueCommandRig rig(CommandRig::Time::real);
    rig.put("bad");
    CHECK(rig.run({"queue", "work", "box/jobs", "--drain", "--", "sh", "-c", "sleep 2.1; exit 65"}).code == 123);
    const auto dead = rig.run_json({"queue", "list", "box/jobs", "--dead"}).json();
    const auto put = parse_iso8601(dead.at("put").get<std::string>()).value();
    CHECK(parse_iso8601(dead.at("died").get<std::string>()).value() - put >= std::chrono::seconds(2));
}

TEST_CASE("a signal ends queue work: 128+N, and no further task is begun") {
    QueueCommandRig rig(CommandRig::Time::real);
    const std::string first = rig.put("first");
    rig.put("second");
    const std::string signal = "kill -TERM " + std::to_string(::getpid());
    SECTION("a command that ends within --grace is done") {
        const Ran ran = rig.run({"queue", "work", "box/jobs", "--", "sh", "-c", signal + "; sleep 0.2"});
        INFO(ran.err);
        CHECK(ran.code == 143);
        CHECK(ran.err.find("1 done, 0 given back, 0 to the dead letters") != std::string::npos);
        CHECK(ran.err.find("stopped by a signal") != std::string::npos);
    }
    SECTION("a command that does not is ended, and its task given back without a failure") {
        const Ran ran =
            rig.run({"queue", "work", "box/jobs", "--grace", "100ms", "--", "sh", "-c", signal + "; sleep 600"});
        INFO(ran.err);
        CHECK(ran.code == 143);
        CHECK(ran.err.find("stopping: running tasks have 100 ms to end") != std::string::npos);
        CHECK(ran.err.find("0 done, 1 given back, 0 to the dead letters") != std::string::npos);
        const auto task = rig.run_json({"queue", "show", "box/jobs", first}).json();
        CHECK(task.at("state") == "ready");
        CHECK(task.at("attempts") == 1);
        CHECK(task.at("failures") == 0);
    }
    CHECK(rig.run({"queue", "peek", "box/jobs"}).out ==
          (rig.service.peek("box", "jobs/5-" + first) ? "first" : "second"));
}

}  // namespace azlock::test
