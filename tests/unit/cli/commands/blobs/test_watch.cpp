// watch, as a user types it.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("watch runs a command with the new content") {
    CommandRig rig(CommandRig::Time::real);
    rig.service.put("box", "data", "the new content");
    const std::string etag = rig.dir.write("etag", "\"0x0\"\n");  // of an older version
    SECTION("text") {
        const std::string copy = rig.dir.file("copy");
        const Ran ran =
            rig.run({"watch", "box/data", "--once", "--etag-file", etag, "--", "sh", "-c", "cat > '" + copy + "'"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(read_text_file(copy) == "the new content");
        CHECK(read_text_file(etag) == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
    }
    SECTION("JSON: an object for the start, the change and the command's end, between what the command prints") {
        const Ran ran = rig.run_json({"watch", "box/data", "--once", "--etag-file", etag, "--", "true"});
        CHECK(ran.code == 0);
        std::vector<std::string> events;
        for (std::size_t at = 0; at < ran.out.size(); at = ran.out.find('\n', at) + 1) {
            events.push_back(nlohmann::json::parse(ran.out.substr(at, ran.out.find('\n', at) - at)).at("event"));
        }
        CHECK(events == std::vector<std::string>{"changed", "command_ended"});
    }
    SECTION("the command's code is azlock's with --once") {
        CHECK(rig.run({"watch", "box/data", "--once", "--etag-file", etag, "--", "sh", "-c", "exit 7"}).code == 7);
    }
    SECTION("a command that does not exist: 127") {
        CHECK(rig.run({"watch", "box/data", "--once", "--etag-file", etag, "--", "/no/such/command"}).code == 127);
    }
    SECTION("text: the version at the start, each change, and how a failed command ended") {
        const Ran ran = rig.run({"watch", "box/data", "--once", "--etag-file", etag, "--", "sh", "-c", "exit 7"});
        const std::string name = "azlock: box/data: ";
        CHECK(ran.out.empty());
        CHECK(ran.err.find(name + "changed, ETag \"" + rig.service.peek("box", "data")->etag + "\", 15 B\n") !=
              std::string::npos);
        CHECK(ran.err.find(name + "the command failed with exit code 7\n") != std::string::npos);
    }
    SECTION("text: what it waits for") {
        const Ran there = rig.run({"watch", "box/data", "--timeout", "100ms", "--", "false"});
        CHECK(there.code == 69);
        CHECK(there.err.starts_with("azlock: box/data: watching, ETag \"" + rig.service.peek("box", "data")->etag));
        CHECK(rig.run({"watch", "box/none", "--timeout", "100ms", "--", "false"})
                  .err.starts_with("azlock: box/none: does not exist yet\n"));
    }
    SECTION("--initial hands the command's output on, and runs it for the first version") {
        const Ran ran = rig.run({"watch", "box/data", "--initial", "--once", "--", "cat"});
        CHECK(ran.code == 0);
        CHECK(ran.out == "the new content");
    }
    SECTION("there is no connection until --timeout: 69") {
        rig.faulty.on(any_request()).from(1).fail_before();
        const std::vector<std::string> watch{"watch", "box/data", "--timeout", "100ms", "--retries", "0", "--", "cat"};
        check_failure_text(rig, watch, 69, "cannot be seen: box/data: scripted fault");
        check_failure_text(rig, watch, 69, "azlock: box/data: the deadline passed (--timeout)\n");
        const Ran ran = rig.run_json(watch);
        CHECK(ran.code == 69);
        CHECK(ran.json().at("event") == "trouble");
        CHECK(ran.json().at("error").at("code") == "unavailable");
        CHECK(ran.error().at("code") == "unavailable");
    }
    SECTION("what cannot be watched: 64") {
        check_failure_text(rig, {"watch", "box", "--", "cat"}, 64, "'box' names no blob");
        check_failure_text(rig, {"watch", "box/data", "--interval", "0s", "--", "cat"}, 64, "--interval");
        check_failure_text(rig, {"watch", "box/data", "--retry", "0s", "--", "cat"}, 64, "--retry");
    }
    SECTION("a deletion runs the command of --on-delete, and is reported") {
        rig.service.erase("box", "data");
        const std::string note = rig.dir.file("note");
        const Ran ran =
            rig.run_json({"watch", "box/data", "--once", "--etag-file", etag, "--on-delete",
                          "echo \"$AZLOCK_BLOB $AZLOCK_ETAG $(cat)\" > '" + note + "'; exit 4", "--", "false"});
        INFO(ran.err);
        CHECK(ran.code == 4);
        CHECK(read_text_file(note) == "box/data \"0x0\" \n");
        const auto deleted = nlohmann::json::parse(ran.out.substr(0, ran.out.find('\n')));
        CHECK(deleted.at("event") == "deleted");
        const auto ended = nlohmann::json::parse(ran.out.substr(ran.out.find('\n') + 1));
        CHECK(ended.at("event") == "command_ended");
        CHECK(ended.at("on_delete") == true);
        CHECK(ended.at("exit_code") == 4);
        CHECK(ended.at("etag") == "\"0x0\"");
    }
    SECTION("no command: 64") {
        check_failure(rig, {"watch", "box/data"}, 64, "usage");
    }
    SECTION("the credential is refused: 77") {
        check_refused(rig, {"watch", "box/data", "--", "cat"});
    }
}

}  // namespace azlock::test
