// resume and verify, as a user types them.
#include "base/encoding.hpp"
#include "unit/cli/commands/upload/upload_command_rig.hpp"

namespace azlock::test {

TEST_CASE("verify as text names the proof, or says that nothing proves it: 73") {
    UploadCommandRig rig;
    const std::string file = rig.dir.write("source", "some bytes");
    REQUIRE(rig.run({"upload", rig.dir.write("other", std::string(10, 'x')), "box/data"}).code == 0);
    SECTION("by the stored MD5") {
        CHECK(rig.run({"verify", rig.dir.file("other"), "box/data"}).err ==
              "azlock: box/data: holds the same 10 B as '" + rig.dir.file("other") +
                  "', by its stored MD5, without downloading\n");
        check_failure_text(rig, {"verify", file, "box/data"}, 65, "by its stored MD5, without downloading");
    }
    SECTION("nothing proves it, or a download does") {
        REQUIRE(rig.run({"append", "box/log"}, "some bytes").code == 0);
        check_failure_text(rig, {"verify", file, "box/log"}, 73, "--download");
        const Ran ran = rig.run({"verify", file, "box/log", "--download"});
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(ran.err.find("byte by byte, downloaded") != std::string::npos);
    }
    SECTION("--quiet says nothing") {
        const Ran ran = rig.run({"verify", "-q", rig.dir.file("other"), "box/data"});
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
    }
    SECTION("a container, 64") {
        check_failure_text(rig, {"verify", file, "box"}, 64, "blob");
    }
}

TEST_CASE("resume continues what is staged, and says what is there") {
    UploadCommandRig rig;
    const std::string file = rig.dir.write("source", noise(300'000));
    const std::vector<std::string> upload{"upload", file, "box/data", "--block-size", "64KiB", "--retries", "0"};
    rig.faulty.on("Put Block").nth(3).fail_before();
    REQUIRE(rig.run(upload).code == 69);
    rig.faulty.clear();
    SECTION("--status") {
        const auto json = rig.run_json({"resume", file, "box/data", "--status"}).json();
        CHECK(json.at("staged_blocks").get<std::uint64_t>() > 0);
        CHECK(!rig.service.content("box", "data"));
        const Ran ran = rig.run({"resume", file, "box/data", "--status"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("staged: " + json.at("staged_blocks").dump() + " blocks, ") == 0);
        CHECK(ran.out.find("\nof the file: " + json.at("present_blocks").dump() + " of 5 blocks, ") !=
              std::string::npos);
        CHECK(ran.out.find(" %)\nforeign: 0 blocks, 0 B\n") != std::string::npos);
        CHECK(ran.out.find("\nto drop what is staged: azlock delete box/data --staged\n") != std::string::npos);
    }
    SECTION("--status of one block") {
        rig.service.stage("box", "small", base64_encode(as_bytes(std::string(48, 'x'))), "of another tool");
        const Ran ran = rig.run({"resume", rig.dir.write("small", "few bytes"), "box/small", "--status"});
        CHECK(ran.code == 0);
        CHECK(ran.out ==
              "staged: 0 blocks, 0 B\nof the file: 0 of 1 block, 0 B of 9 B are there (0 %)\nforeign: 1 block, 15 B\n"
              "to drop what is staged: azlock delete box/small --staged\n");
    }
    SECTION("the rest is sent, as text") {
        const Ran ran = rig.run({"resume", file, "box/data"});
        CHECK(ran.code == 0);
        CHECK(ran.out == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
        CHECK(ran.err.find(" were there already, ") != std::string::npos);
    }
    SECTION("the rest is sent") {
        const auto json = rig.run_json({"resume", file, "box/data"}).json();
        CHECK(json.at("reused").get<std::uint64_t>() > 0);
        CHECK(rig.service.content("box", "data") == noise(300'000));
    }
    SECTION("nothing is staged there: 79") {
        check_failure(rig, {"resume", file, "box/other"}, 79, "not_found");
        check_failure_text(rig, {"resume", file, "box/other"}, 79, "box/other");
    }
    SECTION("the source is missing: 66") {
        check_failure(rig, {"resume", rig.dir.file("none"), "box/data"}, 66, "input_missing");
    }
    SECTION("the credential is refused: 77") {
        check_refused(rig, {"resume", file, "box/data"});
    }
    SECTION("there is no connection: 69") {
        const bool status = GENERATE(false, true);
        check_unavailable(rig, status ? std::vector<std::string>{"resume", file, "box/data", "--status"}
                                      : std::vector<std::string>{"resume", file, "box/data"});
    }
}

TEST_CASE("verify tells whether a blob has the bytes of a file") {
    UploadCommandRig rig;
    const std::string file = rig.dir.write("source", noise(300'000));
    REQUIRE(rig.run({"upload", file, "box/data", "--block-size", "64KiB"}).code == 0);
    SECTION("the same") {
        const Ran ran = rig.run({"verify", file, "box/data"});
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(ran.err.find("box/data: holds the same ") != std::string::npos);
        CHECK(ran.err.find("by the sha256 of its blocks, without downloading") != std::string::npos);
        CHECK(rig.run_json({"verify", file, "box/data"}).json().at("same") == true);
    }
    SECTION("different: 65") {
        const std::string other = rig.dir.write("other", noise(300'000, 2));
        const Ran ran = rig.run_json({"verify", other, "box/data"});
        CHECK(ran.code == 65);
        CHECK(ran.json().at("same") == false);
        check_failure_text(rig, {"verify", other, "box/data"}, 65, "they differ first within bytes 0 to 65535");
    }
    SECTION("the file is missing: 66") {
        check_failure(rig, {"verify", rig.dir.file("none"), "box/data"}, 66, "input_missing");
    }
    check_usual_failures(rig, {"verify", file, "box/data"}, {"verify", file, "nowhere/data"});
}

}  // namespace azlock::test
