// show, list, download, delete, watch and container, as a user types them.
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
        const Ran ran = rig.run({"download", "box/data", "-"});
        CHECK(ran.out == "the content");
        CHECK(ran.err.empty());
        check_failure(rig, {"download", "box/data", "-"}, 64, "usage");
    }
    SECTION("a container, 64") {
        check_failure(rig, {"download", "box", file}, 64, "usage");
        check_failure_text(rig, {"download", "box", file}, 64, "'box' names no blob");
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
        CHECK(rig.run({"delete", "box/data"}).code == 0);
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

TEST_CASE("container makes, shows and deletes containers") {
    CommandRig rig;
    SECTION("create") {
        CHECK(rig.run_json({"container", "create", "new"}).json().at("created") == true);
        check_failure(rig, {"container", "create", "new"}, 73, "precondition");
        CHECK(rig.run({"container", "create", "new", "--if-absent"}).code == 0);
    }
    SECTION("show") {
        CHECK(rig.run_json({"container", "show", "box"}).json().contains("etag"));
    }
    SECTION("delete needs --yes without a terminal: 64") {
        check_failure(rig, {"container", "delete", "box"}, 64, "usage");
        CHECK(rig.run({"container", "delete", "box", "--yes"}).code == 0);
        check_failure(rig, {"container", "show", "box"}, 79, "not_found");
    }
    check_usual_failures(rig, {"container", "show", "box"}, {"container", "show", "nowhere"});
}

TEST_CASE("container create and delete say in words what they did") {
    CommandRig rig;
    SECTION("create") {
        const Ran made = rig.run({"container", "create", "new"});
        CHECK(made.out.empty());
        CHECK(made.err == "azlock: created container new\n");
        CHECK(rig.run({"container", "create", "new", "--if-absent"}).err == "azlock: container new existed already\n");
        const auto json = rig.run_json({"container", "create", "new", "--if-absent"}).json();
        CHECK(json.at("target") == "new");
        CHECK(json.at("created") == false);
    }
    SECTION("delete") {
        CHECK(rig.run({"container", "delete", "box", "--dry-run"}).err ==
              "azlock: would delete container box and all blobs in it\n");
        CHECK(rig.run_json({"container", "delete", "box", "--dry-run"}).json().at("deleted") == false);
        const Ran gone = rig.run({"container", "delete", "box", "--yes"});
        CHECK(gone.code == 0);
        CHECK(gone.err == "azlock: deleted container box\n");
    }
    SECTION("a blob is no container: 64") {
        check_failure(rig, {"container", "delete", "box/data", "--yes"}, 64, "usage");
    }
}

TEST_CASE("container create fails with the usual codes, and with 73 if the container is there") {
    CommandRig rig;
    const std::vector<std::string> create{"container", "create", "new"};
    SECTION("the credential is refused: 77") {
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        check_failure(rig, create, 77, "auth");
        check_failure_text(rig, create, 77, "AuthenticationFailed");
    }
    SECTION("there is no connection: 69") {
        check_unavailable(rig, create);
    }
    SECTION("it is there: 73, and it stays as it is") {
        rig.service.make_container("new");
        rig.service.put("new", "data", "x");
        check_failure(rig, create, 73, "precondition");
        check_failure_text(rig, create, 73, "new");
        CHECK(rig.service.content("new", "data") == "x");
    }
}

TEST_CASE("container delete fails with the usual codes") {
    CommandRig rig;
    check_usual_failures(rig, {"container", "delete", "box", "--yes"}, {"container", "delete", "nowhere", "--yes"});
}

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
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        check_failure(rig, {"watch", "box/data", "--", "cat"}, 77, "auth");
    }
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
