// cas-update, as a user types it.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("cas-update changes a blob and prints what it made") {
    CommandRig rig;
    rig.service.put("box", "n", "41");
    SECTION("--add") {
        const Ran ran = rig.run({"cas-update", "box/n", "--add", "1"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.out == "42\n");
        CHECK(ran.err.empty());
        CHECK(rig.service.content("box", "n") == "42");
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"cas-update", "box/n", "--add", "1"}).json();
        CHECK(json.at("outcome") == "written");
        CHECK(json.at("value") == 42);
    }
    SECTION("a command makes the new content") {
        CHECK(rig.run({"cas-update", "box/n", "--", "sh", "-c", "cat; echo more"}).code == 0);
        CHECK(rig.service.content("box", "n") == "41more\n");
    }
    SECTION("a command that fails: its own code, nothing written") {
        CHECK(rig.run({"cas-update", "box/n", "--", "sh", "-c", "exit 9"}).code == 9);
        CHECK(rig.service.content("box", "n") == "41");
    }
    SECTION("content that is no number: 65") {
        rig.service.put("box", "n", "many");
        check_failure(rig, {"cas-update", "box/n", "--add", "1"}, 65, "data");
    }
    SECTION("a blob that does not exist, without --create: 79") {
        check_failure(rig, {"cas-update", "box/none", "--add", "1"}, 79, "not_found");
        CHECK(rig.run({"cas-update", "box/none", "--create", "--add", "1"}).out == "1\n");
    }
    SECTION("input or new content above --max-size: 65") {
        const std::string file = rig.dir.write("large", std::string(1025, 'x'));
        check_failure(rig, {"cas-update", "box/n", "--max-size", "1KiB", "--from", file}, 65, "data");
        check_failure(rig, {"cas-update", "box/none", "--max-size", "1KiB", "--default", file, "--add", "1"}, 65,
                      "data");
        check_failure(rig, {"cas-update", "box/n", "--max-size", "2", "--append-line", "x"}, 65, "data");
        CHECK(rig.service.content("box", "n") == "41");
    }
    SECTION("--if-match '*': any version") {
        CHECK(rig.run({"cas-update", "box/n", "--if-match", "*", "--add", "1"}).out == "42\n");
        check_failure(rig, {"cas-update", "box/none", "--if-match", "*", "--add", "1"}, 73, "precondition");
    }
    SECTION("somebody else writes first each time: 73") {
        rig.faulty.on("Put Blob").from(1).meanwhile([&] { rig.service.put("box", "n", "7"); });
        check_failure(rig, {"cas-update", "box/n", "--add", "1", "--max-tries", "2"}, 73, "precondition");
    }
    SECTION("staged blocks of another tool are in the way of a fenced write: the message says what to do") {
        rig.service.stage("box", "staged", "AAAA", "of another tool");
        check_failure_text(
            rig, {"cas-update", "box/staged", "--create", "--add", "1", "--fence=5", "--fence-by", "http://lock"}, 73,
            "whose ids have another length");
    }
    check_usual_failures(rig, {"cas-update", "box/n", "--add", "1"}, {"cas-update", "nowhere/n", "--add", "1"});
}

TEST_CASE("cas-update prints the new ETag, and says in text what became of the blob") {
    CommandRig rig;
    rig.service.put("box", "n", "41");
    const auto etag = [&](const std::string& name) { return "\"" + rig.service.peek("box", name)->etag + "\"\n"; };
    SECTION("updated") {
        const Ran ran = rig.run({"cas-update", "box/n", "--append-line", "more"});
        CHECK(ran.code == 0);
        CHECK(ran.out == etag("n"));
        CHECK(ran.err == "azlock: box/n: updated, 8 B\n");
    }
    SECTION("created") {
        const Ran ran = rig.run({"cas-update", "box/new", "--create", "--append-line", "more"});
        CHECK(ran.out == etag("new"));
        CHECK(ran.err == "azlock: box/new: created, 5 B\n");
    }
    SECTION("unchanged") {
        const Ran ran = rig.run({"cas-update", "box/n", "--", "cat"});
        CHECK(ran.out == etag("n"));
        CHECK(ran.err == "azlock: box/n: unchanged, nothing written\n");
    }
    SECTION("skipped") {
        const Ran ran = rig.run({"cas-update", "box/n", "--skip-code", "3", "--", "sh", "-c", "exit 3"});
        CHECK(ran.code == 0);
        CHECK(ran.out == etag("n"));
        CHECK(ran.err == "azlock: box/n: left as it is, because the command's exit code said so\n");
    }
    SECTION("at the second try") {
        rig.faulty.on("Put Blob").nth(1).meanwhile([&] { rig.service.put("box", "n", "7"); });
        CHECK(rig.run({"cas-update", "box/n", "--append-line", "x"}).err == "azlock: box/n: updated, 4 B (2 tries)\n");
    }
    SECTION("--verbose: also with --add") {
        CHECK(rig.run({"cas-update", "-v", "box/n", "--add", "1"}).err.find("box/n: updated, 2 B (1 try)\n") !=
              std::string::npos);
    }
}

TEST_CASE("cas-update refuses what it cannot do: 64, and nothing is sent") {
    CommandRig rig;
    const std::vector<std::vector<std::string>> refused{{"cas-update", "box/n"},
                                                        {"cas-update", "box", "--add", "1"},
                                                        {"cas-update", "box/n", "--add", "1", "--append-line", "x"},
                                                        {"cas-update", "box/n", "--add", "1", "--", "cat"},
                                                        {"cas-update", "box/n", "--add", "many"},
                                                        {"cas-update", "box/n", "--append-line", "a\nb"},
                                                        {"cas-update", "box/n", "--add", "1", "--max-size", "5000MiB"},
                                                        {"cas-update", "box/n", "--", ""}};
    for (const auto& command : refused) check_failure(rig, command, 64, "usage");
    check_failure_text(rig, {"cas-update", "box", "--add", "1"}, 64, "'box' names no blob");
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("cas-update --status-file tells how it ended, whatever the exit code is") {
    CommandRig rig;
    rig.service.put("box", "n", "41");
    const std::string path = rig.dir.file("status");
    const auto status = [&](std::vector<std::string> arguments, int code) {
        arguments.insert(arguments.begin(), {"cas-update", "--status-file", path});
        CHECK(rig.run(arguments).code == code);
        return nlohmann::ordered_json::parse(read_text_file(rig.dir.file("status")));
    };
    SECTION("written") {
        const auto json = status({"box/n", "--add", "1"}, 0);
        CHECK(json.at("outcome") == "written");
        CHECK(json.at("value") == 42);
        CHECK(json.at("target") == "box/n");
        CHECK(json.contains("requests"));
    }
    SECTION("unchanged, and left as it is") {
        CHECK(status({"box/n", "--", "cat"}, 0).at("outcome") == "unchanged");
        CHECK(status({"box/n", "--", "sh", "-c", "exit 80"}, 0).at("outcome") == "skipped");
    }
    SECTION("the command failed") {
        const auto json = status({"box/n", "--", "sh", "-c", "exit 9"}, 9);
        CHECK(json.at("outcome") == "command_failed");
        CHECK(json.at("command_exit_code") == 9);
        CHECK(json.at("error").at("code") == "data");
    }
    SECTION("the command was not found: the code 127 is not its own") {
        const auto json = status({"box/n", "--", "no-such-command-anywhere"}, 127);
        CHECK(json.at("outcome") == "not_started");
        CHECK(json.at("command_exit_code").is_null());
    }
    SECTION("an error of the service") {
        const auto json = status({"box/none", "--add", "1"}, 79);
        CHECK(json.at("outcome") == "error");
        CHECK(json.at("command_exit_code").is_null());
        CHECK(json.at("error").at("code") == "not_found");
    }
    SECTION("a file that cannot be written: 74, and nothing was changed") {
        const Ran ran =
            rig.run({"cas-update", "--status-file", rig.dir.file("none") + "/status", "box/n", "--add", "1"});
        CHECK(ran.code == 74);
        CHECK(rig.service.content("box", "n") == "41");
    }
}

TEST_CASE("cas-update ends a command that runs too long: 124") {
    CommandRig rig(CommandRig::Time::real);
    rig.service.put("box", "n", "41");
    const Ran ran = rig.run({"cas-update", "box/n", "--run-timeout", "100ms", "--status-file", rig.dir.file("status"),
                             "--", "sleep", "60"});
    CHECK(ran.code == 124);
    const auto json = nlohmann::ordered_json::parse(read_text_file(rig.dir.file("status")));
    CHECK(json.at("outcome") == "timeout");
    CHECK(json.at("command_exit_code").is_null());
    CHECK(rig.service.content("box", "n") == "41");
}

}  // namespace azlock::test
