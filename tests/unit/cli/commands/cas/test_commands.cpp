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

}  // namespace azlock::test
