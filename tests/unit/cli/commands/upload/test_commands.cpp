// upload, resume and verify, as a user types them.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

// The display of progress waits on a thread of its own; on a fake clock that would move the time for the requests.
struct UploadRig : CommandRig {
    UploadRig() : CommandRig(Time::real) {}
};

}  // namespace

TEST_CASE("upload prints the ETag of the blob that it made") {
    UploadRig rig;
    const std::string file = rig.dir.write("source", "some bytes");
    SECTION("text") {
        const Ran ran = rig.run({"upload", file, "box/data"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.out == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
        CHECK(ran.err.find("uploaded 10 B") != std::string::npos);
        CHECK(rig.service.content("box", "data") == "some bytes");
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"upload", file, "box/data"}).json();
        CHECK(json.at("bytes") == 10);
        CHECK(json.at("target") == "box/data");
    }
    SECTION("standard input") {
        CHECK(rig.run({"upload", "-", "box/data"}, "from a pipe").code == 0);
        CHECK(rig.service.content("box", "data") == "from a pipe");
    }
    SECTION("a source that does not exist: 66") {
        check_failure(rig, {"upload", rig.dir.file("none"), "box/data"}, 66, "input_missing");
    }
    SECTION("a blob that exists already: 73") {
        rig.service.put("box", "data", "old");
        check_failure(rig, {"upload", file, "box/data", "--if-none-match", "*"}, 73, "precondition");
        CHECK(rig.service.content("box", "data") == "old");
    }
    SECTION("a lease of somebody else: 75") {
        rig.lease("data");
        check_failure(rig, {"upload", file, "box/data"}, 75, "busy");
    }
    check_usual_failures(rig, {"upload", file, "box/data"}, {"upload", file, "nowhere/data"});
}

TEST_CASE("upload of a folder lists what failed, and never ends with 0 then") {
    UploadRig rig;
    const std::string one = rig.dir.write("one", "1");
    const std::string two = rig.dir.write("two", "2");
    SECTION("all") {
        const auto json = rig.run_json({"upload", one, two, "box/to/"}).json();
        CHECK(json.at("files") == 2);
        CHECK(rig.service.content("box", "to/two") == "2");
    }
    SECTION("one is leased by somebody else") {
        rig.lease("to/two");
        const Ran ran = rig.run_json({"upload", one, two, "box/to/"});
        CHECK(ran.code == 75);
        CHECK(ran.json().at("failures").size() == 1);
        CHECK(rig.service.content("box", "to/one") == "1");
    }
}

TEST_CASE("resume continues what is staged, and says what is there") {
    UploadRig rig;
    const std::string file = rig.dir.write("source", noise(300'000));
    const std::vector<std::string> upload{"upload", file, "box/data", "--block-size", "64KiB", "--retries", "0"};
    rig.faulty.on("Put Block").nth(3).fail_before();
    REQUIRE(rig.run(upload).code == 69);
    rig.faulty.clear();
    SECTION("--status") {
        const auto json = rig.run_json({"resume", file, "box/data", "--status"}).json();
        CHECK(json.at("staged_blocks").get<std::uint64_t>() > 0);
        CHECK(!rig.service.content("box", "data"));
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
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        check_failure(rig, {"resume", file, "box/data"}, 77, "auth");
    }
}

TEST_CASE("verify tells whether a blob has the bytes of a file") {
    UploadRig rig;
    const std::string file = rig.dir.write("source", noise(300'000));
    REQUIRE(rig.run({"upload", file, "box/data", "--block-size", "64KiB"}).code == 0);
    SECTION("the same") {
        CHECK(rig.run({"verify", file, "box/data"}).code == 0);
        CHECK(rig.run_json({"verify", file, "box/data"}).json().at("same") == true);
    }
    SECTION("different: 65") {
        const std::string other = rig.dir.write("other", noise(300'000, 2));
        const Ran ran = rig.run_json({"verify", other, "box/data"});
        CHECK(ran.code == 65);
        CHECK(ran.json().at("same") == false);
        CHECK(rig.run({"verify", other, "box/data"}).code == 65);
    }
    SECTION("the file is missing: 66") {
        check_failure(rig, {"verify", rig.dir.file("none"), "box/data"}, 66, "input_missing");
    }
    check_usual_failures(rig, {"verify", file, "box/data"}, {"verify", file, "nowhere/data"});
}

}  // namespace azlock::test
