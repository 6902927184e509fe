// append, as a user types it.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("append adds the bytes of a pipe or a file at the end of the blob") {
    CommandRig rig(CommandRig::Time::real);
    SECTION("a pipe") {
        const Ran ran = rig.run({"append", "box/log"}, "one\ntwo\n");
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(rig.service.content("box", "log") == "one\ntwo\n");
        CHECK(rig.run({"append", "box/log"}, "three\n").code == 0);
        CHECK(rig.service.content("box", "log") == "one\ntwo\nthree\n");
    }
    SECTION("text: the ETag, and how much") {
        const Ran ran = rig.run({"append", "box/log"}, "one\ntwo\n");
        CHECK(ran.out == "\"" + rig.service.peek("box", "log")->etag + "\"\n");
        CHECK(ran.err.find("azlock: box/log: appended 8 B in 1 block, ") != std::string::npos);
        const Ran quiet = rig.run({"append", "-q", "box/log"}, "three\n");
        CHECK(quiet.out == "\"" + rig.service.peek("box", "log")->etag + "\"\n");
        CHECK(quiet.err.empty());
    }
    SECTION("--tee: standard output has the input and nothing else") {
        CHECK(rig.run({"append", "box/log", "--tee"}, "one\n").out == "one\n");
    }
    SECTION("what cannot be appended to: 64") {
        check_failure_text(rig, {"append", "box"}, 64, "the destination must name the blob to append to");
        check_failure_text(rig, {"append", "box/log/"}, 64, "the destination must name the blob to append to");
        check_failure_text(rig, {"append", rig.snapshot_of("log")}, 64, "a snapshot cannot be written");
    }
    SECTION("a file, and JSON") {
        const auto json = rig.run_json({"append", "box/log", rig.dir.write("job.log", "line\n")}).json();
        CHECK(json.at("bytes") == 5);
        CHECK(json.at("lines") == 1);
        CHECK(json.at("first_offset") == 0);
    }
    SECTION("a file that does not exist: 66") {
        check_failure(rig, {"append", "box/log", rig.dir.file("none")}, 66, "input_missing");
    }
    SECTION("a block blob cannot be appended to: 73") {
        rig.service.put("box", "log", "a block blob");
        check_failure(rig, {"append", "box/log", rig.dir.write("f", "x")}, 73, "precondition");
        check_failure_text(rig, {"append", "box/log", rig.dir.write("f", "x")}, 73, "block blob");
    }
    check_usual_failures(rig, {"append", "box/log", rig.dir.write("f", "x"), "--retry-for", "0s"},
                         {"append", "nowhere/log", rig.dir.write("f", "x")});
}

TEST_CASE("append --exec appends what a command writes, and ends with its exit code") {
    CommandRig rig(CommandRig::Time::real);
    SECTION("the command succeeds: the ETag is printed") {
        const Ran ran = rig.run({"append", "--exec", "box/log", "--lines", "--", "sh", "-c", "echo one; echo two"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.out == "\"" + rig.service.peek("box", "log")->etag + "\"\n");
        CHECK(rig.service.content("box", "log") == "one\ntwo\n");
    }
    SECTION("the command fails: its code, and what it wrote is there") {
        const Ran ran = rig.run({"append", "--exec", "box/log", "--", "sh", "-c", "echo one; exit 9"});
        CHECK(ran.code == 9);
        CHECK(ran.err.find("the command 'sh' failed with exit code 9") != std::string::npos);
        CHECK(rig.service.content("box", "log") == "one\n");
    }
    SECTION("the command cannot be found: 127") {
        CHECK(rig.run({"append", "--exec", "box/log", "--", "no-such-command-anywhere"}).code == 127);
    }
    SECTION("a command is needed, and no file beside it: 64") {
        check_failure(rig, {"append", "--exec", "box/log"}, 64, "usage");
        check_failure(rig, {"append", "--exec", "box/log", "file", "--", "true"}, 64, "usage");
        check_failure(rig, {"append", "--exec", "box/log", "--follow", "--", "true"}, 64, "usage");
    }
}

TEST_CASE("append --resume says how much was there already") {
    CommandRig rig(CommandRig::Time::real);
    const std::string file = rig.dir.write("job.log", "one\n");
    REQUIRE(rig.run({"append", "box/log", file, "--resume"}).code == 0);
    (void)rig.dir.write("job.log", "one\ntwo\n");
    const Ran ran = rig.run({"append", "box/log", file, "--resume"});
    CHECK(ran.code == 0);
    CHECK(ran.err.find("appended 4 B in 1 block (4 B were there already)") != std::string::npos);
    CHECK(rig.run_json({"append", "box/log", file, "--resume"}).json().at("skipped") == 8);
    CHECK(rig.service.content("box", "log") == "one\ntwo\n");
}

TEST_CASE("a credential that may only write appends, and one notice says what that means") {
    CommandRig rig(CommandRig::Time::real);
    rig.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const Ran ran = rig.run({"append", "box/log"}, "one\ntwo\n");
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(ran.err.find("the credential may not read the blob") != std::string::npos);
    CHECK(rig.service.content("box", "log") == "one\ntwo\n");
    check_failure(rig, {"append", "box/log", rig.dir.write("f", "x"), "--resume"}, 77, "auth");
}

}  // namespace azlock::test
