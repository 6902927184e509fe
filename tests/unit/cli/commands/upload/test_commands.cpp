// upload, as a user types it.
#include "unit/cli/commands/upload/upload_command_rig.hpp"

namespace azlock::test {

TEST_CASE("upload prints the ETag of the blob that it made") {
    UploadCommandRig rig;
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
    UploadCommandRig rig;
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

TEST_CASE("upload of several files says in text what happened to them") {
    UploadCommandRig rig;
    const std::string one = rig.dir.write("one", "1");
    const std::string two = rig.dir.write("two", "22");
    SECTION("all are uploaded") {
        const Ran ran = rig.run({"upload", one, two, "box/to/"});
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(ran.err.find("uploaded 2 files, 3 B sent of 3 B") != std::string::npos);
    }
    SECTION("some are there already or unchanged") {
        REQUIRE(rig.run({"upload", one, "box/to/"}).code == 0);
        CHECK(rig.run({"upload", one, two, "box/to/", "--no-overwrite"}).err.find("; 1 there already") !=
              std::string::npos);
        CHECK(rig.run({"upload", one, two, "box/to/", "--skip-unchanged"}).err.find("; 2 unchanged") !=
              std::string::npos);
    }
    SECTION("one fails: each failure has a line, and the error counts them") {
        rig.lease("to/two");
        const Ran ran = rig.run({"upload", one, two, "box/to/"});
        CHECK(ran.code == 75);
        CHECK(ran.err.find("FAILED: ") != std::string::npos);
        CHECK(ran.err.find("; 1 FAILED") != std::string::npos);
        CHECK(ran.err.find("1 of 2 files failed, the first because: ") != std::string::npos);
    }
    SECTION("--dry-run says what would not be uploaded, and not that it failed") {
        const std::string none = rig.dir.file("none");
        const Ran ran = rig.run({"upload", one, none, two, "box/to/", "--dry-run"});
        CHECK(ran.code == 66);
        CHECK(ran.err.find("1 of 3 files would not be uploaded") != std::string::npos);
        CHECK(ran.err.find("files failed") == std::string::npos);
        CHECK(ran.err.find("FAILED") == std::string::npos);
        CHECK(ran.err.find("azlock: would fail: ") != std::string::npos);
        CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 2);
        CHECK(rig.service.requests() == 0);
    }
    SECTION("--dry-run only lists") {
        const Ran ran = rig.run({"upload", one, two, "box/to/", "--dry-run"});
        CHECK(ran.code == 0);
        CHECK(ran.out == one + " -> box/to/one\n" + two + " -> box/to/two\n");
        const Ran json = rig.run_json({"upload", one, "box/to/", "--dry-run"});
        CHECK(json.json().at("source") == one);
        CHECK(json.json().at("bytes") == 1);
        CHECK(!rig.service.content("box", "to/one"));
    }
}

TEST_CASE("upload of one file tells what was there") {
    UploadCommandRig rig;
    const std::string file = rig.dir.write("source", "some bytes");
    REQUIRE(rig.run({"upload", file, "box/data"}).code == 0);
    SECTION("--no-overwrite: it is left alone") {
        const Ran ran = rig.run({"upload", file, "box/data", "--no-overwrite"});
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(ran.err.find("box/data: exists already, left alone") != std::string::npos);
        const auto json = rig.run_json({"upload", file, "box/data", "--no-overwrite"}).json();
        CHECK(json.at("existed") == true);
        CHECK(json.at("proof").is_null());
    }
    SECTION("--skip-unchanged") {
        const Ran ran = rig.run({"upload", file, "box/data", "--skip-unchanged"});
        CHECK(ran.code == 0);
        CHECK(ran.out == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
        CHECK(ran.err.find("unchanged, nothing written") != std::string::npos);
        CHECK(rig.run_json({"upload", file, "box/data", "--skip-unchanged"}).json().at("proof") == "md5");
    }
}

TEST_CASE("upload --exec commits what a command wrote only if the command succeeds") {
    UploadCommandRig rig;
    const Ran good = rig.run({"upload", "--exec", "box/data", "--", "sh", "-c", "echo one"});
    INFO(good.err);
    CHECK(good.code == 0);
    CHECK(good.out == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
    CHECK(rig.service.content("box", "data") == "one\n");
    const Ran bad = rig.run({"upload", "--exec", "box/data", "--", "sh", "-c", "echo two; exit 9"});
    CHECK(bad.code == 9);
    CHECK(bad.err.find("nothing was committed") != std::string::npos);
    CHECK(rig.service.content("box", "data") == "one\n");
}

TEST_CASE("upload --exec and upload of a pipe refuse what they cannot do: 64, and no command runs") {
    UploadCommandRig rig;
    const std::string proof = rig.dir.file("ran");
    const std::vector<std::vector<std::string>> refused{
        {"upload", "--exec", "box/data"},
        {"upload", "--exec", "a", "box/data", "--", "touch", proof},
        {"upload", "--exec", "box", "--", "touch", proof},
        {"upload", "--exec", "box/to/", "--", "touch", proof},
        {"upload", "--exec", "box/data", "--block-size", "8MiB", "--memory", "4MiB", "--", "touch", proof},
        {"upload", "--exec", "box/data", "--block-size", "1", "--", "touch", proof},
        {"upload", "-", "box"},
        {"upload", "-", "box/data", "--skip-unchanged"},
        {"upload", "-", "box/data", "--expect-sha256", "12"},
        {"upload", proof, "box/data", "--expect-size", "1"}};
    for (const auto& command : refused) check_failure(rig, command, 64, "usage");
    check_failure_text(rig, {"upload", "-", "box/to/"}, 64, "the destination must name the blob");
    CHECK(rig.dir.names().empty());
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("a file whose name the service would change gives no blob its name: 64, before anything is sent") {
    UploadCommandRig rig;
    const std::string file = rig.dir.write("file.", "some bytes");
    for (const std::vector<std::string>& command : {std::vector<std::string>{"upload", file, "box/"},
                                                    {"resume", file, "box/"},
                                                    {"resume", "--status", file, "box/to/"}}) {
        check_failure(rig, command, 64, "usage");
    }
    CHECK(!rig.service.peek("box", "file"));
    CHECK(!rig.service.peek("box", "file."));
}

TEST_CASE("a credential that may only write: one notice says that nothing was reused") {
    UploadCommandRig rig;
    const std::string file = rig.dir.write("source", std::string(10'000, 'x'));
    rig.dir.write("source2", std::string(10'000, 'y'));
    rig.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const std::string notice = "the credential may not read, so all bytes were sent";
    SECTION("one file") {
        const Ran ran = rig.run({"upload", file, "box/data", "--block-size", "4KiB"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.find("box/data: " + notice) != std::string::npos);
    }
    SECTION("several files") {
        const Ran ran = rig.run({"upload", file, rig.dir.file("source2"), "box/", "--block-size", "4KiB"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        const auto first = ran.err.find("box: " + notice);
        CHECK(first != std::string::npos);
        CHECK(ran.err.find(notice, first + 10) == std::string::npos);
    }
}

}  // namespace azlock::test
