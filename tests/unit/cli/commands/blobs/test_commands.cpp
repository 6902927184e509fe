// show, list, download and delete, as a user types them.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("show prints the properties of a blob, and all of them as JSON") {
    CommandRig rig;
    rig.service.put("box", "data", "twelve bytes");
    SECTION("text") {
        const Ran ran = rig.run({"show", "box/data"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("\nsize:              12\n") != std::string::npos);
        CHECK(ran.err.empty());
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"show", "box/data"}).json();
        CHECK(json.at("size") == 12);
        CHECK(json.at("type") == "BlockBlob");
        CHECK(json.at("lease").at("state") == "available");
    }
    SECTION("a container, as text") {
        const Ran ran = rig.run({"show", "box"});
        CHECK(ran.code == 0);
        CHECK(ran.out.starts_with("etag:              \"0x"));
        CHECK(ran.out.find("\nlease:             available\n") != std::string::npos);
        CHECK(ran.out == rig.run({"container", "show", "box"}).out);
    }
    SECTION("a container, as JSON") {
        const auto json = rig.run_json({"show", "box"}).json();
        CHECK(json.at("target") == "box");
        CHECK(json.at("lease").at("state") == "available");
        CHECK(json == rig.run_json({"container", "show", "box"}).json());
    }
    SECTION("--etag-file: shown once, then 80 until it changes") {
        const std::string file = rig.dir.file("etag");
        CHECK(rig.run({"show", "box/data", "--etag-file", file}).code == 0);
        CHECK(read_text_file(file) == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
        const Ran again = rig.run({"show", "box/data", "--etag-file", file});
        CHECK(again.code == 80);
        CHECK(again.out.empty());
        CHECK(again.err == "azlock: box/data: not modified\n");
        check_failure(rig, {"show", "box/data", "--etag-file", file}, 80, "not_modified");
        rig.service.put("box", "data", "new");
        CHECK(rig.run({"show", "box/data", "--etag-file", file}).code == 0);
        check_failure(rig, {"show", "box", "--etag-file", file}, 64, "usage");
    }
    SECTION("a condition for a container: 64") {
        check_failure(rig, {"show", "box", "--if-match", "\"0x0\""}, 64, "usage");
    }
    SECTION("the blob does not exist: 79") {
        check_failure(rig, {"show", "box/none"}, 79, "not_found");
    }
    SECTION("a condition that is not met: 73") {
        check_failure(rig, {"show", "box/data", "--if-match", "\"0x0\""}, 73, "precondition");
    }
    check_usual_failures(rig, {"show", "box/data"}, {"show", "nowhere/data"});
}

TEST_CASE("list prints a line for each blob, and as JSON an object for each") {
    CommandRig rig;
    rig.service.put("box", "a/1", "x");
    rig.service.put("box", "b/2", "xy");
    SECTION("text") {
        const Ran ran = rig.run({"list", "box"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("a/1") != std::string::npos);
        CHECK(ran.out.find("b/2") != std::string::npos);
    }
    SECTION("JSON, below a prefix") {
        const auto json = rig.run_json({"list", "box/b/"}).json();
        CHECK(json.at("name") == "b/2");
        CHECK(json.at("size") == 2);
    }
    SECTION("--delimiter folds names into prefixes") {
        rig.service.put("box", "c", "xyz");
        const Ran ran = rig.run({"list", "box", "--delimiter", "/"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("  a/\n") != std::string::npos);
        CHECK(ran.out.find("  c\n") != std::string::npos);
        CHECK(ran.out.find("a/1") == std::string::npos);
        CHECK(rig.run_json({"list", "box", "--delimiter", "/", "--prefix", "a"}).json() ==
              nlohmann::json{{"prefix", "a/"}});
    }
    SECTION("--uncommitted lists blobs that have only staged blocks, too") {
        rig.service.stage("box", "staged", "MDAwMA==", "x");
        CHECK(rig.run({"list", "box"}).out.find("staged") == std::string::npos);
        const Ran ran = rig.run({"list", "box", "--uncommitted", "--prefix", "s"});
        CHECK(ran.out.starts_with("         staged  "));
        const auto json = rig.run_json({"list", "box", "--uncommitted", "--prefix", "s"}).json();
        CHECK(json.at("name") == "staged");
        CHECK(json.at("uncommitted") == true);
    }
    SECTION("a prefix that is given twice: 64") {
        check_failure(rig, {"list", "box/a", "--prefix", "b"}, 64, "usage");
    }
    check_usual_failures(rig, {"list", "box"}, {"list", "nowhere"});
}

TEST_CASE("list without a TARGET lists the account's containers") {
    CommandRig rig;
    SECTION("text") {
        const Ran ran = rig.run({"list"});
        CHECK(ran.code == 0);
        CHECK(ran.out.ends_with("  box\n"));
        CHECK(ran.out.find("available") == std::string::npos);
    }
    SECTION("JSON, with a prefix") {
        rig.service.make_container("next");
        const auto json = rig.run_json({"list", "--prefix", "n"}).json();
        CHECK(json.at("name") == "next");
        CHECK(json.at("lease").at("state") == "available");
    }
    SECTION("what only blobs have: 64") {
        check_failure(rig, {"list", "--delimiter", "/"}, 64, "usage");
        check_failure(rig, {"list", "--uncommitted"}, 64, "usage");
    }
}

TEST_CASE("download writes the blob to a file or to standard output") {
    CommandRig rig;
    rig.service.put("box", "data", "the content");
    const std::string file = rig.dir.file("copy");
    SECTION("a file") {
        const Ran ran = rig.run({"download", "box/data", file});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(read_text_file(file) == "the content");
        CHECK(ran.out.empty());
        CHECK(ran.err.find(file + ": downloaded 11 B, ") != std::string::npos);
        CHECK(rig.run({"download", "-q", "box/data", file}).err.empty());
    }
    SECTION("standard output") {
        const Ran ran = rig.run({"download", "box/data", "-", "--limit-rate", "1KiB"});
        CHECK(ran.out == "the content");
        CHECK(ran.err.empty());
        check_failure(rig, {"download", "box/data", "-"}, 64, "usage");
    }
    SECTION("a container, 64") {
        check_failure(rig, {"download", "box", file}, 64, "usage");
        check_failure_text(rig, {"download", "box", file}, 64, "'box' names no blob");
    }
    SECTION("--limit-rate holds for each form of a download that ends") {
        rig.service.put("box", "data", noise(200'000));
        for (const std::string& target : {file, std::string("-")}) {
            const BootTime start = rig.clock().now();
            CHECK(rig.run({"download", "box/data", target, "--limit-rate", "10K"}).code == 0);
            CHECK(rig.clock().now() - start >= std::chrono::seconds(15));
        }
        check_failure(rig, {"download", "box/data", file, "--limit-rate", "0"}, 64, "usage");
        check_failure(rig, {"download", "box/data", "--follow", "--limit-rate", "1K"}, 64, "usage");
    }
    SECTION("--etag-file: downloaded once, then 80 until it changes, and the file stays") {
        const std::string etag = rig.dir.file("etag");
        CHECK(rig.run({"download", "box/data", file, "--etag-file", etag}).code == 0);
        CHECK(read_text_file(etag) == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
        (void)rig.dir.write("copy", "mine");
        check_failure(rig, {"download", "box/data", file, "--etag-file", etag}, 80, "not_modified");
        check_failure_text(rig, {"download", "box/data", file, "--etag-file", etag}, 80, "box/data: not modified");
        check_failure_text(rig, {"download", "box/data", "-", "--etag-file", etag}, 80, "box/data: not modified");
        CHECK(read_text_file(file) == "mine");
        rig.service.put("box", "data", "new");
        CHECK(rig.run({"download", "box/data", "-", "--etag-file", etag}).out == "new");
        CHECK(read_text_file(etag) == "\"" + rig.service.peek("box", "data")->etag + "\"\n");
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"download", "box/data", file}).json();
        CHECK(json.at("bytes") == 11);
    }
    SECTION("not modified: 80, and no file") {
        const std::string etag = "\"" + rig.service.peek("box", "data")->etag + "\"";
        check_failure(rig, {"download", "box/data", file, "--if-none-match", etag}, 80, "not_modified");
        CHECK(rig.dir.names().empty());
    }
    SECTION("the folder does not exist: 74") {
        check_failure(rig, {"download", "box/data", rig.dir.file("no/such/folder")}, 74, "io");
    }
    check_usual_failures(rig, {"download", "box/data", file}, {"download", "nowhere/data", file});
}

TEST_CASE("delete deletes exactly the blob that was meant") {
    CommandRig rig;
    rig.service.put("box", "data", "x");
    SECTION("text") {
        const Ran ran = rig.run({"delete", "box/data"});
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(ran.err == "azlock: deleted box/data\n");
        CHECK(!rig.service.peek("box", "data"));
    }
    SECTION("JSON") {
        CHECK(rig.run_json({"delete", "box/data"}).json().at("deleted") == true);
    }
    SECTION("--dry-run deletes nothing, and says what it would delete") {
        CHECK(rig.run_json({"delete", "box/data", "--dry-run"}).json().at("deleted") == false);
        CHECK(rig.run({"delete", "box/data", "--dry-run"}).err ==
              "azlock: would delete box/data (1 byte, ETag \"" + rig.service.peek("box", "data")->etag + "\")\n");
        CHECK(rig.run({"delete", "box/data", "--dry-run", "--snapshots", "only"}).err ==
              "azlock: would delete the snapshots of box/data\n");
        CHECK(rig.service.peek("box", "data"));
    }
    SECTION("another version: 73") {
        check_failure(rig, {"delete", "box/data", "--if-match", "\"0x0\""}, 73, "precondition");
        CHECK(rig.service.peek("box", "data"));
    }
    SECTION("a lease of somebody else: 75") {
        rig.lease("data");
        check_failure(rig, {"delete", "box/data"}, 75, "busy");
    }
    check_usual_failures(rig, {"delete", "box/data"}, {"delete", "nowhere/data"});
}

TEST_CASE("delete --staged drops what an interrupted upload has left, and nothing else") {
    CommandRig rig;
    rig.service.stage("box", "new", "MDAwMA==", "12345");
    rig.service.stage("box", "new", "MDAwMQ==", "678");
    SECTION("text") {
        const Ran ran = rig.run({"delete", "box/new", "--staged"});
        CHECK(ran.code == 0);
        CHECK(ran.out.empty());
        CHECK(ran.err == "azlock: dropped 2 staged blocks (8 B) of box/new\n");
        CHECK(!rig.service.peek("box", "new"));
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"delete", "box/new", "--staged"}).json();
        CHECK(json == nlohmann::ordered_json{{"target", "box/new"},
                                             {"deleted", false},
                                             {"dropped", true},
                                             {"staged_blocks", 2},
                                             {"staged_bytes", 8}});
    }
    SECTION("--dry-run drops nothing") {
        CHECK(rig.run({"delete", "box/new", "--staged", "--dry-run"}).err ==
              "azlock: would drop 2 staged blocks (8 B) of box/new\n");
        CHECK(rig.run_json({"delete", "box/new", "--staged", "--dry-run"}).json().at("dropped") == false);
        CHECK(rig.service.peek("box", "new")->staged_ids.size() == 2);
    }
    SECTION("a lease of somebody else: 75, and with its id the blob keeps its content") {
        const std::string file = rig.dir.write("source", noise(150'000));
        REQUIRE(rig.run({"upload", "-q", "--block-size", "64KiB", file, "box/old"}).code == 0);
        rig.service.stage("box", "old", rig.service.peek("box", "old")->committed_ids.front(), "12345");
        const std::string lease = rig.lease("old");
        check_failure(rig, {"delete", "box/old", "--staged"}, 75, "busy");
        CHECK(rig.run({"delete", "box/old", "--staged", "--lease-id", lease}).code == 0);
        CHECK(rig.service.content("box", "old") == noise(150'000));
        CHECK(rig.service.peek("box", "old")->staged_ids.empty());
    }
    SECTION("content that was not written as blocks would be lost with them: 73") {
        rig.service.put("box", "whole", "content");
        rig.service.stage("box", "whole", "MDAwMA==", "12345");
        check_failure(rig, {"delete", "box/whole", "--staged"}, 73, "precondition");
        CHECK(rig.service.content("box", "whole") == "content");
    }
    SECTION("nothing is staged: 0, and it says so") {
        const Ran ran = rig.run({"delete", "box/none", "--staged"});
        CHECK(ran.code == 0);
        CHECK(ran.err == "azlock: dropped 0 staged blocks (0 B) of box/none\n");
    }
    SECTION("what it does not go with: 64") {
        check_failure(rig, {"delete", "box/new", "--staged", "--if-match", "*"}, 64, "usage");
        check_failure(rig, {"delete", "box/new", "--staged", "--force"}, 64, "usage");
        check_failure(rig, {"delete", "box/new", "--staged", "--snapshots", "include"}, 64, "usage");
        check_failure(rig, {"delete", "box", "--staged"}, 64, "usage");
    }
    check_usual_failures(rig, {"delete", "box/new", "--staged"}, {"delete", "nowhere/new", "--staged"});
}

TEST_CASE("download --follow prints what is appended, to standard output and without conditions") {
    CommandRig rig;
    Actor peer(rig.service, rig.clock(), 98);
    const azure::BlobAddress log{"box", "log", {}};
    azure::PutBlobOptions append_blob;
    append_blob.blob_type = "AppendBlob";
    REQUIRE(peer.client().put_blob(log, nullptr, append_blob, {}));
    REQUIRE(peer.client().append_block(log, http::make_body("one\ntwo\n"), {}, {}));
    REQUIRE(peer.client().seal(log, {}, {}, {}));
    CHECK(rig.run({"download", "box/log", "--follow"}).out == "one\ntwo\n");
    CHECK(rig.run({"download", "box/log", "-", "--follow", "--from-end", "--interval", "1s"}).out.empty());
    check_failure(rig, {"download", "box/none", "--follow"}, 64, "usage");  // --json
    const Ran missing = rig.run({"download", "box/none", "--follow"});
    INFO(missing.err);
    CHECK(missing.code == 79);
    CHECK(rig.run({"download", "box/log", rig.dir.file("x"), "--follow"}).code == 64);
    CHECK(rig.run({"download", "box/log", "--follow", "--if-match", "*"}).code == 64);
    CHECK(rig.run({"download", "box/log", "--follow", "--concurrency", "2"}).code == 64);
    CHECK(rig.run({"download", "box/log", "--from-end"}).code == 64);
    CHECK(rig.run({"download", "box/log", "--follow", "--interval", "0"}).code == 64);
}

}  // namespace azlock::test
